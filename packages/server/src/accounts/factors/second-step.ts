/**
 * Decides whether a log-in needs a second step, and makes the refusal that asks for it. Only
 * `start-session.ts` calls it, so every way to log in passes here, also links in mails and log-ins
 * by other issuers.
 */
import { hash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { FactorType } from '../../resource/accounts/identity-mark.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { needsFactor } from '../../resource/rules/roles.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import type { ActiveUser, IdentityTables } from '../identity-tables.ts'
import type { TicketData, Tickets } from '../tokens/ticket.ts'
import type { Factors } from './factors.ts'

/** `factors`: the types to choose from, the preferred one first. */
export type DueFactor = {
  readonly factors: readonly FactorType[]
  readonly enrolling: boolean
  readonly restsOn: string
}

type BegunLogIn = Pick<TicketData['login'], 'counted' | 'device' | 'way' | 'provider'>

export type SecondStep = {
  /** Undefined where the first proof is enough. Ask it with the user's row locked. */
  due(reader: Pick<Reader, 'list'>, user: ActiveUser, row: Row): Promise<DueFactor | undefined>
  /**
   * `unauthenticated` with the ticket for the next step.
   */
  refusal(user: ActiveUser, due: DueFactor, begun: BegunLogIn): ApiError
  isRequired(role: string): boolean
}

/** No other site can ask for a passkey of this one, as it can for a code. */
const inPreference: readonly FactorType[] = ['passkey', 'totp']

/**
 * A fingerprint of the data that a log-in depends on besides factors, so that it stays the same
 * between its steps. The version is part of it: a suspension that was taken back leaves no other
 * trace in the row.
 */
export function credentialFingerprint({ resource, mark }: IdentityTables['login'], row: Row): string {
  const values = [row[resource.idField], row[mark.login], row[mark.secret], row.version]
  return hash('sha256', JSON.stringify(values), 'base64url')
}

type SecondStepDeps = {
  readonly login: IdentityTables['login']
  readonly factors: Factors
  readonly tickets: Tickets
  readonly settings: ServiceSettings
  /** The types that can be enrolled here. */
  readonly offered: readonly FactorType[]
}

export function makeSecondStep({ login, factors, tickets, settings, offered }: SecondStepDeps): SecondStep {
  const isRequired = (role: string) => needsFactor(settings, role)
  return {
    isRequired,
    async due(reader, user, row) {
      const known = await factors.typesOf(reader, user.userId)
      if (known.length > 0)
        return {
          factors: inPreference.filter((one) => known.includes(one)),
          enrolling: false,
          restsOn: credentialFingerprint(login, row),
        }
      return isRequired(user.role)
        ? { factors: offered, enrolling: true, restsOn: credentialFingerprint(login, row) }
        : undefined
    },
    refusal({ userId }, { factors, enrolling, restsOn }, begun) {
      const ticket = tickets.issue('login', { userId, restsOn, enrolling, ...begun })
      const message = enrolling ? 'A second factor must be enrolled first' : 'A second factor is required'
      return new ApiError('unauthenticated', message, {
        more: { next: enrolling ? 'enrol' : factors[0], factors, ticket },
      })
    },
  }
}
