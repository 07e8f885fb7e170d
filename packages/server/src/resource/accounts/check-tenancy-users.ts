/** Checks the users of a tenancy: there are some, and invitations can make them. */
import { unfilledFields } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import { findUsers } from '../rules/roles.ts'
import { markOf } from './engine-table.ts'

type TenancyUsers = {
  readonly byName: ReadonlyMap<string, DeclaredResource>
  /** Acceptance of an invitation makes an account. */
  readonly hasInvitations: boolean
  readonly report: (problem: string) => void
}

export function checkTenancyUsers({ byName, hasInvitations, report }: TenancyUsers) {
  const users = findUsers(byName.values())
  if (!users) return report('needs users: list ...accounts({ … }) beside it')
  if (!hasInvitations) return
  if (![...byName.values()].some((one) => markOf(one)?.kind === 'one-time-token'))
    report('invitations: needs mails: accounts({ …, recovery: true }) has them')
  const unfilled = unfilledFields(users, Object.values(users.identity))
  if (unfilled.length > 0)
    report(
      `invitations: "${users.name}" needs a default for ${unfilled.join(', ')}: accepting an invitation makes an account`,
    )
}
