/**
 * Tables that the engine itself declares, such as sessions: a declaration, and a mark that says
 * which of its fields is what. An application writes no such mark. It has these tables by
 * `accounts`, and may extend them.
 */

import { type DeclaredResource, engineMark, engineTraits } from '../define.ts'
import { noTraits, type ResourceTraits } from '../traits.ts'
import { traitsOfUsers } from './credentials.ts'
import type { IdentityMark } from './identity-mark.ts'

/** The declaration as a table of the engine. */
export function engineTable<D extends DeclaredResource>(
  declared: D,
  mark: IdentityMark<Extract<keyof D['fields'], string>>,
  traits: Partial<ResourceTraits> = {},
): D {
  return { ...declared, [engineMark]: mark, [engineTraits]: { ...noTraits, ...traits } }
}

/**
 * The meaning of a resource to identity: the mark of users, which the application writes, or the
 * engine's own.
 */
export function markOf(declared: Pick<DeclaredResource, 'identity' | typeof engineMark>): IdentityMark | undefined {
  return declared[engineMark] ?? declared.identity
}

/** The facts that a feature says of it. Users are the application's, and their mark says them. */
export function traitsOf(declared: DeclaredResource): ResourceTraits {
  const { [engineTraits]: traits, identity } = declared
  return traits ?? (identity?.kind === 'login' ? traitsOfUsers(identity) : noTraits)
}

/**
 * The application's own resources in their order, and the engine's tables after them, as documents
 * show them.
 */
export function ownFirst(declarations: readonly DeclaredResource[]): readonly DeclaredResource[] {
  const isEngines = (declared: DeclaredResource) => declared[engineMark] !== undefined
  return [...declarations.filter((one) => !isEngines(one)), ...declarations.filter(isEngines)]
}
