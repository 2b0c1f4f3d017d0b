import { describe, expect, test } from 'vitest'
import type { Files } from '../world/world.ts'

/** The contract of `Files`. `root` holds `a.txt` ("one ✓"), `b/c.txt` and `b/a/x`. */
export function describeFiles(name: string, files: Files, root: string) {
  describe(`${name} keeps the promises of files`, () => {
    test('a file is read whole', async () => {
      expect(new TextDecoder().decode(await files.read(`${root}/a.txt`))).toBe('one ✓')
    })

    test('a file that may be missing is read, or is not there', async () => {
      const found = await files.readIfPresent(`${root}/a.txt`)
      expect(found && new TextDecoder().decode(found)).toBe('one ✓')
      expect(await files.readIfPresent(`${root}/none`)).toBeUndefined()
      expect(await files.readIfPresent(`${root}/a.txt/none`)).toBeUndefined()
    })

    test('the chunks of a file are its bytes', async () => {
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of files.stream(`${root}/a.txt`)) {
        text += decoder.decode(chunk, { stream: true })
      }
      expect(text).toBe('one ✓')
    })

    test('a folder is listed by name', async () => {
      expect(await files.list(`${root}/b`)).toEqual([
        { name: 'a', isFolder: true },
        { name: 'c.txt', isFolder: false },
      ])
    })

    test.each([
      ['reading a missing file', () => files.read(`${root}/none`), 'there is no file or folder'],
      ['reading a folder', () => files.read(`${root}/b`), 'is a folder, not a file'],
      ['listing a missing folder', () => files.list(`${root}/none`), 'there is no file or folder'],
      ['listing a file', () => files.list(`${root}/a.txt`), 'is not a folder'],
      [
        'streaming a missing file',
        () => files.stream(`${root}/none`)[Symbol.asyncIterator]().next(),
        'there is no file or folder',
      ],
    ])('%s is reported as bad input', async (_, act, message) => {
      await expect(act()).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining(message),
      })
    })
  })
}
