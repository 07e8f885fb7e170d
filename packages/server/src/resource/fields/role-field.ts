/**
 * The role field of users and memberships: a choice whose words are the roles that the application
 * gives `accounts` or `defineTenancy`.
 */
import { takeOptions } from '../members.ts'
import { type ChoiceOptions, choiceMembers, choiceType } from './choice.ts'
import { type DefaultOf, type Field, type HasDefault, makeField, type ValueOf } from './field.ts'

/** The role that a default names. */
type NamedBy<D> = D extends string ? D : never

/**
 * The field of users that holds their role: `role: roleField({ default: 'MEMBER', write: operator
 * })`. Its words are the roles of `accounts`. In a resource of memberships they are the roles of
 * `defineTenancy`. It takes the options of every field.
 */
export function roleField<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: ChoiceOptions<string, R, D, L, Q>,
): Field<
  ValueOf<string, R, D>,
  string,
  { kind: 'stored'; filled: HasDefault<D>; roles: L; named: NamedBy<D>; mentions: Q }
> {
  const { known, mistakes } = takeOptions(options, choiceMembers)
  return makeField(choiceType, { ...known, takesRoles: true, mistakes })
}
