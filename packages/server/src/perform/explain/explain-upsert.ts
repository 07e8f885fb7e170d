/**
 * Explains an upsert: the create or the replace that the request comes to. It asks for both rights,
 * finds the record by the values of its key, and goes on as `keyed-record.ts` does.
 */
import { ApiError } from '../../errors.ts'
import type { RecordBody } from '../../operation/operation.ts'
import type { Admission } from '../../policy/policy.ts'
import type { OperationTarget } from '../../policy/rule-of.ts'
import { all } from '../../resource/condition.ts'
import type { BodyKind } from '../../resource/operation-kind.ts'
import type { Engine } from '../engine.ts'
import { whereKeyed, whereShown } from '../keyed-record.ts'
import { admissionOf, type ExplainedAccess } from './explain-access.ts'
import { type BodyQuestion, explainAccess } from './explain-body.ts'

export type UpsertQuestion = Pick<BodyQuestion, 'asker' | 'caller' | 'sees'> & {
  readonly target: OperationTarget
  /** The fields of the key. Asked once the caller is admitted. */
  readonly key: () => readonly string[]
  readonly bodyOf: (kind: BodyKind, admission: Admission) => Promise<RecordBody>
}

/** Throws `bad-request` as the request itself does, once its caller is admitted. */
export async function explainUpsert(engine: Engine, question: UpsertQuestion): Promise<ExplainedAccess> {
  const { policy, storage } = engine
  const { asker, caller, sees, target } = question
  const { resource } = target
  const [toCreate, toReplace] = (['create', 'replace'] as const).map((operation) => {
    const one = { ...target, operation }
    return { target: one, admission: admissionOf(policy, caller, one) }
  }) as [AttemptAdmission, AttemptAdmission]
  const common = { asker, caller, sees, under: undefined }
  const refused = [toCreate, toReplace].find(({ admission }) => admission instanceof ApiError)
  // The values of the key are not read, so no record is named.
  if (refused) return explainAccess(engine, { ...common, target: refused.target, id: undefined, namesNone: true })
  const key = question.key()
  const explain = async ({ target: one, admission }: AttemptAdmission, id: string | undefined) =>
    explainAccess(engine, {
      ...common,
      target: one,
      id,
      body: () => question.bodyOf(one.operation as BodyKind, admission as Admission),
    })
  const { values } = await question.bodyOf('create', toCreate.admission as Admission)
  const named = whereKeyed(resource, { key, principal: caller, sentAs: (name) => values.get(name) })
  const found = await storage.find(resource, all(named, whereShown(toReplace.admission as Admission, resource, key)))
  if (!found) return explain(toCreate, undefined)
  try {
    const replaced = await explain(toReplace, String(found.row[resource.idField]))
    if (replaced.refusal?.code !== 'not-found') return replaced
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not-found') throw error
  }
  // A record that does not exist for the caller is created, where its values are still free.
  return explain(toCreate, undefined)
}

type AttemptAdmission = { readonly target: OperationTarget; readonly admission: Admission | ApiError }
