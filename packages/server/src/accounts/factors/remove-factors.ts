/**
 * The removal of a second factor. Its owner proves their identity and keeps one factor where the
 * role needs one. Recovery codes go with the last factor. An operator may remove the factor of a
 * user who has lost a phone.
 */
import { ApiError } from '../../errors.ts'
import { unknownField } from '../../operation/body.ts'
import type { StageInputWithRow } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { FactorMark, LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Identity } from '../identity.ts'
import type { ReauthenticationProof } from '../sessions/reauthenticate.ts'

type FactorDeps = {
  readonly login: MarkedTable<LoginMark>
  readonly factor: MarkedTable<FactorMark>
  readonly identity: () => Identity
}

export function removeFactors({ login, factor, identity }: FactorDeps): WriteStep {
  const { resource, mark } = factor
  const ownerOf = ({ before }: Pick<StageInputWithRow, 'before'>) => before[mark.owner] as string
  const ownerHere = ({ caller, before }: Pick<StageInputWithRow, 'before' | 'caller'>): UserPrincipal | undefined =>
    caller.kind === 'user' && caller.via !== 'console' && caller.userId === ownerOf({ before }) ? caller : undefined
  return {
    name: 'removal of factors',
    resources: [resource],
    isCostly: ({ kind }) => kind === 'delete',

    async prove(requested) {
      const sent = requested.proof as ReauthenticationProof
      const owner = ownerHere(requested)
      if (owner)
        await identity().confirmSelf(owner, sent, { address: requested.address ?? '', userAgent: requested.userAgent })
      else if (sent) throw unknownField(sent.kind === 'password' ? currentPassword : sent.kind)
    },

    /** The lock stops two removals at once from removing both factors. */
    async begin(tx, { before }) {
      if (before) await tx.lock(login.resource, equal(login.resource.idField, ownerOf({ before })))
    },

    /** Throws `conflict`. */
    async removed(tx, requested) {
      const { factors } = identity()
      if (!factors) return
      const { before } = requested
      const userId = ownerOf(requested)
      const details = { factor: before[resource.idField] as Scalar, type: before[mark.type] as string }
      await recordAudit(tx, { event: 'factor-removed', userId, details })
      if ((await factors.stored.typesOf(tx, userId)).length > 0) return
      const user = (await tx.find(login.resource, equal(login.resource.idField, userId)))?.row
      const role = user?.[login.mark.role] as string
      if (ownerHere(requested) && factors.step.isRequired(role))
        throw new ApiError('conflict', `${role} needs a second factor, and this is the last; enrol another first`)
      await factors.stored.recoveryCodes.removeAll(tx, userId)
    },
  }
}
