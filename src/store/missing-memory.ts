import { Fault } from '../fault.ts'

export const missingMemory = (location: string) =>
  new Fault('invalid_input', `no issue memory at ${location}`, {
    hint: 'Check the path. premath issue add creates it; premath init sets up a project.',
    detail: { path: location },
  })
