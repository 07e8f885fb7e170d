/** Finds mistakes in the effects of a declaration. */
import { offsetReader } from '../../base/zone-offsets.ts'
import type { DeclaredEffect, FieldChange } from '../effects/declared-effect.ts'
import { type EffectMoment, spanMs } from '../effects/effect-moment.ts'
import { retriesMistake } from '../effects/retries.ts'
import { valueMistake } from '../fields/field-facts.ts'
import { printValue } from '../members.ts'
import { type DeclarationCheck, nameMistake, storedField } from './declaration-check.ts'

function isZone(zone: string): boolean {
  try {
    offsetReader(zone)
    return true
  } catch {
    return false
  }
}

function checkMoment(context: DeclarationCheck, at: string, { field: name, span, zone }: EffectMoment): void {
  const { report } = context
  if (spanMs(span) === undefined) report(at, `"${span}" is no span of time: write 90s, 30m, 24h or 7d`)
  const field = storedField(context, at, name)
  if (!field) return
  const { kind } = field.type.inTime ?? {}
  if (kind !== 'moment' && kind !== 'day') report(at, `"${name}" is no timestamp and no date`)
  else if (field.counted) report(at, `"${name}" is counted from other records: name a field that writes set`)
  if (zone === undefined) return
  if (kind === 'moment') report(at, `"${name}" is a timestamp, which has no zone: only the day of a date begins in one`)
  if (!isZone(zone)) report(at, `"${zone}" is no time zone that Node knows, such as Europe/Berlin`)
}

/** A change that no write makes would cause the effect never. */
function checkChange(context: DeclarationCheck, at: string, { field: name, from, to }: FieldChange): void {
  const { report } = context
  const field = storedField(context, at, name)
  if (!field) return
  if (field.counted) report(at, `"${name}" is counted from other records: name a field that writes set`)
  const values = [from, to].filter((value) => value !== undefined)
  for (const value of values) {
    const mistake = field.type.secret ? `"${name}" is a secret` : valueMistake(field, value, `"${name}"`)
    if (mistake) report(at, `${mistake}, and is ${printValue(value)}`)
  }
  if (values.length === 2 && from === to) report(at, `changes "${name}" from ${printValue(from)} to the same value`)
}

function checkCauses(context: DeclarationCheck, at: string, on: NonNullable<DeclaredEffect['on']>): void {
  if (on.length === 0) context.report(at, 'names nothing that it follows')
  for (const cause of on) if (typeof cause !== 'string') checkChange(context, at, cause)
}

export function checkEffects(context: DeclarationCheck): void {
  const { declared, report } = context
  for (const [name, { on, at: moment, retries }] of Object.entries(declared.effects ?? {})) {
    const at = `effects.${name}`
    const mistake = nameMistake(name)
    if (mistake) report(at, mistake)
    const unmeant = retriesMistake(retries)
    if (unmeant) report(`${at}.retries`, unmeant)
    if ((on === undefined) === (moment === undefined))
      report(at, 'needs one of on and at: the writes that cause it, or the moment when it is due')
    if (on) checkCauses(context, `${at}.on`, on)
    if (moment) checkMoment(context, `${at}.at`, moment)
  }
}
