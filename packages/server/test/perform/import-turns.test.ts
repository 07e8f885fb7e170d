/** An import of lines that are costly to read lets other requests have their turns between them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import type { ImportLine, ImportOperation } from '../../src/operation/operation.ts'
import { importLines } from '../../src/perform/import-lines.ts'
import type { Permitted } from '../../src/policy/policy.ts'
import type { Principal } from '../../src/resource/principal.ts'
import { startService, type TestService } from '../helpers/application.ts'

const machineOfAdmin: Principal = { kind: 'user', userId: 'somebody', role: 'ADMIN', via: 'key', scopes: null }

describe('an import of costly lines', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  it('gives the others a turn after each', async () => {
    const { engine } = service.service
    const resource = engine.catalog.get('edition')
    const readIn: number[] = []
    let turn = 0
    const count = () => {
      turn += 1
      if (readIn.length < 6) setImmediate(count).unref()
    }
    const parse = () => {
      readIn.push(turn)
      const untilMs = performance.now() + 15
      while (performance.now() < untilMs);
      throw new ApiError('bad-request', 'a costly line')
    }
    async function* lines(): AsyncGenerator<ImportLine> {
      for (let line = 1; line <= 6; line += 1) yield { line, text: '', parse }
    }
    const admission = engine.policy.admit(machineOfAdmin, { resource, operation: 'import', nested: false })
    const operation = { kind: 'import', resource, under: undefined, select: null, lines: lines() } as const
    const done = []
    const permitted = engine.policy.permit(admission, operation) as Permitted<ImportOperation>
    count()
    for await (const one of importLines(engine, permitted)) done.push(one.done)
    assert.deepEqual(done, Array(6).fill('rejected'))
    assert.equal(new Set(readIn).size, 6, `in the turns ${readIn}`)
  })
})
