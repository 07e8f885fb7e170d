/**
 * The rights of a caller whose request may last for minutes: an import, or a list that is sent in
 * chunks. Each transaction and each chunk asks for them again, so a member who was removed
 * meanwhile stores and reads no more.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ExportOperation, ImportOperation, ListOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Engine } from '../engine.ts'

/**
 * The same permission where the caller is as before. Throws where the caller may do this no more,
 * such as one whose credential has ended.
 */
export async function judgeAgain<O extends ImportOperation | ExportOperation | ListOperation>(
  { policy }: Engine,
  permitted: Permitted<O>,
): Promise<Permitted<O>> {
  const { operation, principal } = permitted
  const caller = await operation.findCaller?.()
  if (caller === undefined || isDeepStrictEqual(caller, principal)) return permitted
  const target = { resource: operation.resource, operation: operation.kind, nested: operation.under !== undefined }
  return policy.permit(policy.admit(caller, target), operation)
}
