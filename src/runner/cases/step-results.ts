/** The results of the requests of a scenario, for its templates and expressions. */
import type { HttpResult } from '../../kernel/spec/http/http-result.ts'
import type { Offered } from '../../kernel/spec/lang/builtin.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'

/** Makes the JSON of a result when something asks for the steps: most scenarios never do. */
export class StepResults implements Offered {
  readonly #pending: HttpResult[] = []
  readonly #byId = new Map<string, SpecValue>()

  add(result: HttpResult): void {
    this.#pending.push(result)
  }

  get byId(): ReadonlyMap<string, SpecValue> {
    for (const result of this.#pending.splice(0)) {
      const { id } = result.received
      if (id !== undefined) this.#byId.set(id, result.stepValue)
    }
    return this.#byId
  }

  get(name: string): SpecValue | undefined {
    return name === 'steps' ? this.byId : undefined
  }
}
