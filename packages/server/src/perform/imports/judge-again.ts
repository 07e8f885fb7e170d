/**
 * The rights of the caller of an import, which may last for minutes. Each transaction asks for them
 * again: a member who was removed meanwhile stores no further lines.
 */
import type { ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Engine } from '../engine.ts'
import { makeRequestStageRunner, type RequestStageRunner } from '../request-stages.ts'

export type JudgedImport = { permitted: Permitted<ImportOperation>; stages: RequestStageRunner }

/** Throws where the caller may import no more, such as one whose credential has ended. */
export async function judgeAgain(importing: JudgedImport, engine: Engine): Promise<void> {
  const { operation, principal } = importing.permitted
  const caller = await operation.findCaller?.()
  if (caller === undefined || caller === principal) return
  const { resource, under } = operation
  const target = { resource, operation: operation.kind, nested: under !== undefined }
  importing.permitted = engine.policy.permit(engine.policy.admit(caller, target), operation)
  importing.stages = makeRequestStageRunner(engine, importing.permitted)
}
