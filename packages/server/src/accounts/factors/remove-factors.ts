/**
 * The removal of a second factor: its owner shows who they are, keeps one where the role needs one,
 * and has no recovery codes without one. An operator removes another's, for a user who has lost a
 * phone.
 */
import { ApiError } from '../../errors.ts'
import { unknownField } from '../../operation/body.ts'
import type { SentTo } from '../../record/asked.ts'
import type { Step } from '../../record/stages.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { FactorMark, LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import { tellAudit } from '../audit/audit.ts'
import type { Identity } from '../identity.ts'
import type { Confirmation } from '../sessions/confirm-self.ts'

type Known = {
  readonly login: Marked<LoginMark>
  readonly factor: Marked<FactorMark>
  readonly identity: () => Identity
}

export function removeFactors({ login, factor, identity }: Known): Step {
  const { resource, mark } = factor
  const ownerOf = ({ before }: Pick<SentTo, 'before'>) => before[mark.owner] as string
  const ownerHere = ({ caller, before }: Pick<SentTo, 'before' | 'caller'>): UserPrincipal | undefined =>
    caller.kind === 'user' && caller.via !== 'console' && caller.userId === ownerOf({ before }) ? caller : undefined
  return {
    name: 'removal of factors',
    resources: [resource],
    isCostly: ({ kind }) => kind === 'delete',

    async prove(asked) {
      const sent = asked.proof as Confirmation
      const owner = ownerHere(asked)
      if (owner) await identity().confirmSelf(owner, sent, { address: asked.address ?? '', userAgent: asked.userAgent })
      else if (sent) throw unknownField(sent.kind === 'password' ? currentPassword : sent.kind)
    },

    /** So that two removals do not each leave the other's factor. */
    async begin(writing, { before }) {
      if (before) await writing.lock(login.resource, equal(login.resource.idField, ownerOf({ before })))
    },

    /** Throws `conflict`. */
    async removed(writing, asked) {
      const { factors } = identity()
      if (!factors) return
      const { before } = asked
      const userId = ownerOf(asked)
      const details = { factor: before[resource.idField] as Scalar, type: before[mark.type] as string }
      await tellAudit(writing, { event: 'factor-removed', userId, details })
      if ((await factors.stored.typesOf(writing, userId)).length > 0) return
      const user = (await writing.find(login.resource, equal(login.resource.idField, userId)))?.row
      const role = user?.[login.mark.role] as string
      if (ownerHere(asked) && factors.step.isRequired(role))
        throw new ApiError('conflict', `${role} needs a second factor, and this is the last; enrol another first`)
      await factors.stored.recoveryCodes.removeAll(writing, userId)
    },
  }
}
