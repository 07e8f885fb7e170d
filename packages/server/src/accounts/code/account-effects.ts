/**
 * Leaves the application's effects of accounts in the transaction of what caused them: a sign-up, a
 * log-in, a new password.
 */

import { openValues } from '../../record/declared/shown-values.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import { restoreReason } from '../../record/removal/bring-back.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { AccountEvent } from '../../resource/accounts/kept-account-code.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { effectKindName } from '../../resource/effects/declared-effect.ts'
import { type Author, consoleCredential } from '../../storage/changes.ts'
import type { Values } from '../../storage/storage.ts'
import { type AccountWay, passwordWayOf, signUpWayOf } from './noted-way.ts'

type Login = MarkedTable<LoginMark>

/** The names of the effects that follow this event. */
function namesOf({ mark }: Login, event: AccountEvent): readonly string[] {
  return Object.entries(mark.code?.effects ?? {}).flatMap(([name, { on }]) => (on.includes(event) ? [name] : []))
}

type AccountHappening = AccountWay<string> & {
  readonly event: AccountEvent
  readonly row: Values
  readonly author: Author
}

type LeaveEvents = (tx: RecordTransaction, happening: AccountHappening) => Promise<void>

/** Undefined where no effect follows the event. */
function leaving(login: Login, event: AccountEvent): LeaveEvents | undefined {
  const names = namesOf(login, event)
  if (names.length === 0) return undefined
  const { resource } = login
  return async (tx, { row, way, provider, author }) => {
    if (tx.author.isQuiet) return
    const payload = { record: openValues(resource, row), previous: null, event, way, provider }
    const key = String(row[resource.idField])
    const left = names.map((name) => ({ kind: effectKindName(resource.name, name), key, inOrder: true, payload }))
    await tx.by(author).leave(...left)
  }
}

/** The user is the author of what the service does for its owner. */
function ownerIn({ author }: RecordTransaction, { resource, mark }: Login, row: Values): Author {
  const credential = author.credential === 'service' ? 'anonymous' : author.credential
  return { ...author, userId: row[resource.idField] as string, role: row[mark.role] as string, credential }
}

const byOwner: ReadonlySet<string> = new Set(['oidc', 'invitation', 'reset', 'link', 'console-code'])

/** Nothing where no effect follows these. */
export function accountEffects(login: Login): WriteStep[] {
  const { resource, mark } = login
  const signedUp = leaving(login, 'signedUp')
  const changed = leaving(login, 'passwordChanged')
  const authorOf = (tx: RecordTransaction, way: string, row: Values) => {
    const isStranger = tx.author.userId === null && tx.author.credential !== consoleCredential && way === 'password'
    return byOwner.has(way) || isStranger ? ownerIn(tx, login, row) : tx.author
  }
  if (!signedUp && !changed) return []
  return [
    {
      name: 'effects of accounts',
      resources: [resource],
      fields: [mark.secret],
      ...(signedUp && {
        async afterCreate({ tx, rows, reason }) {
          if (reason === restoreReason) return
          const way = signUpWayOf(tx)
          for (const row of rows) {
            const author = authorOf(tx, way.way, row)
            await signedUp(tx, { event: 'signedUp', row, author, ...way })
          }
        },
      }),
      ...(changed && {
        async afterUpdate({ tx, before, row }) {
          if (before[mark.secret] === row[mark.secret]) return
          const way = passwordWayOf(tx, row[resource.idField])
          await changed(tx, { event: 'passwordChanged', row, author: authorOf(tx, way.way, row), ...way })
        },
      }),
    },
  ]
}

/** `credential`: that of the session. */
export type LeaveLoggedIn = (
  tx: RecordTransaction,
  logIn: AccountWay<string> & { readonly row: Values; readonly credential: string },
) => Promise<void>

/** Undefined where no effect follows log-ins. */
export function makeLeaveLoggedIn(login: Login): LeaveLoggedIn | undefined {
  const leave = leaving(login, 'loggedIn')
  return (
    leave &&
    ((tx, { credential, ...logIn }) => {
      const author = { ...ownerIn(tx, login, logIn.row), credential }
      return leave(tx, { event: 'loggedIn', author, ...logIn })
    })
  )
}
