/** Finds mistakes in the effects of a declaration. */
import { retriesMistake } from '../effects/retries.ts'
import { type DeclarationCheck, nameMistake, noField } from './declaration-check.ts'

export function checkEffects({ declared, report }: DeclarationCheck): void {
  for (const [name, { on, retries }] of Object.entries(declared.effects ?? {})) {
    const at = `effects.${name}`
    const mistake = nameMistake(name)
    if (mistake) report(at, mistake)
    const unmeant = retriesMistake(retries)
    if (unmeant) report(`${at}.retries`, unmeant)
    if (on.length === 0) report(`${at}.on`, 'names nothing that it follows')
    for (const cause of on) {
      if (typeof cause === 'string' || Object.hasOwn(declared.fields, cause.field)) continue
      report(`${at}.on`, noField(declared, cause.field))
    }
  }
}
