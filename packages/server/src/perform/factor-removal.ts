/**
 * What the removal of a second factor needs besides: its owner shows who they are, keeps one where the role needs one, and has no recovery codes
 * without one. An ADMIN removes another's for whoever has lost a phone.
 */

import { tellAudit } from '../accounts/audit.ts'
import type { Confirmation } from '../accounts/sessions/confirm-self.ts'
import { ApiError } from '../errors.ts'
import { unknownField } from '../operation/body.ts'
import type { DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Writing } from '../record/records.ts'
import { currentPassword } from '../resource/accounts/credentials.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { Role } from '../resource/rule.ts'
import type { Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'

export type Removal = {
  /** First in the transaction, so that two removals do not each leave the other's factor. */
  lockOwner(writing: Writing): Promise<void>
  /** After the factor is gone. Throws `conflict`. */
  after(writing: Writing): Promise<void>
}

/** Undefined for records of any other kind. Throws what `judge` and the confirmation throw. */
export async function beforeRemoval(
  engine: Engine,
  permitted: Permitted<DeleteOperation>,
  judge: () => Promise<Row>,
): Promise<Removal | undefined> {
  const { operation, principal } = permitted
  const { factor, login } = engine.catalog
  const { factors } = engine.identity
  if (!factors || !factor || !login || operation.resource !== factor.resource) return undefined
  const before = await judge()
  const ownerId = before[factor.mark.owner] as string
  const isOwn = principal.kind === 'user' && principal.via !== 'console' && principal.userId === ownerId
  const sent = operation.confirmation as Confirmation
  const from = { address: engine.address ?? '', userAgent: engine.userAgent }
  if (isOwn) await engine.identity.confirmSelf(principal, sent, from)
  else if (sent) throw unknownField(sent.kind === 'password' ? currentPassword : sent.kind)

  return {
    async lockOwner(writing) {
      await writing.lock(login.resource, equal(login.resource.idField, ownerId))
    },
    async after(writing) {
      const details = { factor: before[factor.resource.idField] as Scalar, type: before[factor.mark.type] as string }
      await tellAudit(writing, { event: 'factor-removed', userId: ownerId, details })
      if ((await factors.stored.typesOf(writing, ownerId)).length > 0) return
      const user = (await writing.find(login.resource, equal(login.resource.idField, ownerId)))?.row
      const role = user?.[login.mark.role] as Role
      if (isOwn && factors.step.isRequired(role))
        throw new ApiError('conflict', `${role} needs a second factor, and this is the last; enrol another first`)
      await factors.stored.recoveryCodes.removeAll(writing, ownerId)
    },
  }
}
