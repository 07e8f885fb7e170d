/**
 * Builds declarations with mistakes that the compiler would refuse, as plain JavaScript would, and
 * returns the start's errors.
 */
import { StartError } from '../../src/errors.ts'
import { defineResource, id, reference, text, user } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { ruleNames } from '../../src/resource/words/entry-names.ts'

/** The sentence about a value in the place of a rule. */
export const notOne = `must be one of the rules ${ruleNames.join(', ')}, and is`

type Loose = Readonly<Record<string, unknown>>

/** Bypasses the compiler. */
export function declare(declaration: object): DeclaredResource {
  return defineResource<Fields, string>(declaration as never)
}

/** A resource without mistakes, with a change that makes one. */
export function thing({ fields, ...change }: Loose = {}): DeclaredResource {
  const base = { name: 'thing', path: '/things', list: { style: 'page' }, access: { list: user, get: user } }
  return declare({ ...base, fields: { id: id(), name: text(), ...(fields as Loose) }, ...change })
}

/** A child of that resource. */
export function part({ fields, ...change }: Loose = {}): DeclaredResource {
  const base = { name: 'part', path: '/parts', list: { style: 'page' }, access: { list: user, get: user } }
  return declare({ ...base, fields: { id: id(), thingId: reference('thing'), ...(fields as Loose) }, ...change })
}

/** A call as plain JavaScript would make it: `loosely(text, { maxLenght: 5 })`. */
export function loosely(make: unknown, ...given: readonly unknown[]): unknown {
  return (make as (...given: readonly unknown[]) => unknown)(...given)
}

/** The file that declares, as start names it. */
const file = 'packages/server/test/mistakes/declaring.ts'

/** Each mistake that start finds. Its file is checked and left out. */
export function mistakesOf(list: readonly unknown[]): string[] {
  try {
    makeCatalog(list as readonly DeclaredResource[])
    return []
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const [head, ...lines] = error.message.split('\n')
    if (head !== 'The declarations have mistakes:') throw error
    return lines.map((line) => line.trim().replace(`${file}: `, ''))
  }
}
