/**
 * Checks changes of existing credentials. A person sends the current password beside new ones, so a
 * token left on a screen does not give away the account. A key needs a scope that names
 * credentials.
 */
import { ApiError } from '../../errors.ts'
import { unknownField } from '../../operation/body.ts'
import { forbidden } from '../../policy/judge.ts'
import { coversWithoutCredentials, managesCredentials } from '../../policy/scope.ts'
import type { StageInputWithRow } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Identity } from '../identity.ts'

/** The values hold a password as it was sent, or as a new hash. */
function changedNames({ resource, before, values }: StageInputWithRow): readonly string[] {
  return resource.traits.credentials.filter((name) => Object.hasOwn(values, name) && values[name] !== before[name])
}

function isOwn({ resource, caller, before }: StageInputWithRow): boolean {
  const isPerson = caller.kind === 'user' && caller.via !== 'console'
  return isPerson && before[resource.idField] === caller.userId
}

/** Throws `forbidden` for a key whose scopes do not allow what is sent. */
function checkScope(sent: StageInputWithRow): void {
  const { resource, kind, caller, values } = sent
  if (caller.kind !== 'user' || caller.via !== 'key') return
  if (changedNames(sent).length > 0 && !managesCredentials(caller)) throw forbidden()
  const isOnlyCredentials = Object.keys(values).every((name) => resource.traits.credentials.includes(name))
  if (!isOnlyCredentials && !coversWithoutCredentials(caller, resource, kind)) throw forbidden()
}

/** The note of the stored password that `currentPassword` matched. */
const confirmed = Symbol('confirmed')

/** Throws `forbidden` where it was not confirmed, or the password has changed since. */
function checkConfirmed({ mark }: MarkedTable<LoginMark>, sent: StageInputWithRow): void {
  if (!isOwn(sent) || changedNames(sent).length === 0) return
  const stored = sent.notes.get(confirmed)
  if (stored === undefined) throw new ApiError('forbidden', `${currentPassword} is required`)
  if (stored !== sent.before[mark.secret]) throw new ApiError('forbidden', `${currentPassword} is wrong`)
}

export function ownCredentials(login: MarkedTable<LoginMark>, identity: () => Identity): WriteStep {
  const { resource, mark } = login
  return {
    name: 'own credentials',
    resources: [resource],
    isCostly: ({ proof }) => proof !== undefined,

    check(sent) {
      if (sent.before) checkScope({ ...sent, before: sent.before })
    },

    /**
     * Throws `too-many-requests` too, and `bad-request` where the credentials are of another user.
     */
    async prove(sent) {
      const { proof: password, before, address = '', userAgent } = sent
      if (typeof password !== 'string') return checkConfirmed(login, sent)
      if (!isOwn(sent)) throw unknownField(currentPassword)
      const stored = before[mark.secret] as string
      const userId = before[resource.idField] as Scalar
      const asking = { userId, login: before[mark.login] as string, stored, password, address, userAgent }
      await identity().confirm?.(asking)
      sent.notes.set(confirmed, stored)
    },

    locked: (_writing, sent) => checkConfirmed(login, sent),

    limit: {
      at: 'limits.ownCredentials',
      words: 'the scopes of a key, and the current password beside new credentials of its own',
      kinds: ['replace', 'update'],
      check(sent) {
        const { before, proof } = sent
        if (!before) return
        checkScope({ ...sent, before })
        if (proof === undefined) checkConfirmed(login, { ...sent, before })
      },
    },
  }
}
