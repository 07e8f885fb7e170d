/** Finds mistakes in the effects of accounts, beyond their form. */
import type { AccountCode } from '../../resource/accounts/kept-account-code.ts'
import { nameMistake } from '../../resource/checks/declaration-check.ts'
import type { DeclaredResource } from '../../resource/define.ts'
import { retriesMistake } from '../../resource/effects/retries.ts'
import type { MemberProblem } from '../../resource/members.ts'

/** `users`: their own effects have names of the same kind. */
export function* codeMistakes(effects: AccountCode['effects'], users: DeclaredResource): Generator<MemberProblem> {
  for (const [name, { on, retries }] of Object.entries(effects)) {
    const path = `effects.${name}`
    const mistake = nameMistake(name)
    if (mistake) yield { path, problem: mistake }
    if (on.length === 0) yield { path: `${path}.on`, problem: 'names nothing that it follows' }
    const unmeant = retriesMistake(retries)
    if (unmeant) yield { path: `${path}.retries`, problem: unmeant }
    if (Object.hasOwn(users.effects ?? {}, name))
      yield { path, problem: `${users.name} has an effect of this name already: give this one another` }
  }
}
