/**
 * `sharedViews`: the resource of the views of lists that people share in the console. It is a
 * resource like any other, with rules that tell no view of a list that the caller may not see.
 */
import { declaringPlace } from '../../base/declaring-place.ts'
import { type DeclaredResource, declarationProblems, defineResource, engineTraits } from '../define.ts'
import { id } from '../fields/id.ts'
import { reference } from '../fields/reference.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import { checkMembers, type MemberProblem, type Members, textKind } from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'
import { allOf } from '../rules/all-of.ts'
import { anyOf } from '../rules/any-of.ts'
import { operator } from '../rules/operator.ts'
import { owner } from '../rules/owner.ts'
import { noTraits } from '../traits.ts'
import { listable } from './listable.ts'

/** `U`: the resource of users; `T`: that of tenants; `L`: the roles that its rules name. */
export type SharedViewsDeclaration<
  U extends string = string,
  T extends string = string,
  L extends string = string,
  M extends string = string,
> = {
  /** The resource of users: `'user'`. A view has the id of the user who shares it in `userId`. */
  readonly users: U
  /**
   * The callers who may share a view: a rule about the caller, or `member('COACH')`. They share
   * views of lists that they may see.
   */
  readonly share: Rule<never, never, L>
  /**
   * The callers who may change and delete the views of others: `member('OWNER')`. By default the
   * operator.
   */
  readonly manage?: Rule<never, never, M>
  /**
   * The resource of tenants, needed where there is a `defineTenancy`: `'club'`. A view belongs to
   * the tenant in `clubId`, and only its members see it.
   */
  readonly tenant?: T
}

const members = {
  users: textKind,
  share: ruleKind,
  manage: ruleKind,
  tenant: textKind,
} satisfies Members<SharedViewsDeclaration>

function viewFields<const U extends string>(users: U) {
  return {
    id: id(),
    resource: text({
      required: true,
      immutable: true,
      maxLength: 100,
      description: 'The resource of the list, as `GET /_resources` names it.',
      example: 'teams',
    }),
    name: text({ required: true, maxLength: 100, description: 'The name of the view.', example: 'Low stock' }),
    query: text({
      default: '',
      maxLength: 2_000,
      description: 'The query of the list; `fields` has its columns.',
      example: 'sort=stock&fields=name,stock',
    }),
    userId: reference(users, { setBy: 'principal', onDelete: 'clear' }),
    createdAt: timestamp({ setOn: 'create' }),
    updatedAt: timestamp({ setOn: 'write' }),
  }
}

type ViewFields<U extends string, T extends string> = ReturnType<typeof viewFields<U>> & {
  readonly [K in T as `${K}Id`]: ReturnType<typeof reference<K>>
}

const display = {
  label: { en: 'Saved view', de: 'Gespeicherte Ansicht' },
  plural: { en: 'Saved views', de: 'Gespeicherte Ansichten' },
  title: 'name',
  columns: ['name', 'resource', 'userId', 'updatedAt'],
  menu: false,
} as const

/** The mistakes in the form of what `sharedViews` is given. */
function formMistakes(said: SharedViewsDeclaration): readonly MemberProblem[] {
  const mistakes: MemberProblem[] = []
  checkMembers(said, members, { path: '', report: (one) => mistakes.push(one), needed: ['users', 'share'] })
  return mistakes
}

/**
 * Declares the views of lists that people share in the console: `sharedViews({ users: 'user',
 * share: role('EDITOR') })`. They are records of the resource `savedView` at `/saved-views`. A user
 * reads those of resources that they may list. Without it, views stay in the browser.
 */
export function sharedViews<
  const U extends string,
  const T extends string = never,
  const L extends string = never,
  const M extends string = never,
>(declaration: SharedViewsDeclaration<U, T, L, M>): DeclaredResource<ViewFields<U, T>, 'savedView', never, L | M> {
  const { writtenIn } = declaringPlace()
  const mistakes = formMistakes(declaration)
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  const named = typeof declaration?.users === 'string' ? declaration.users : 'user'
  const sound: SharedViewsDeclaration = isWhole ? declaration : { users: named, share: operator }
  const { users, share, manage = operator, tenant } = sound
  const changed = allOf([anyOf([owner('userId'), manage]), listable])
  const declared = defineResource({
    name: 'savedView',
    description: 'A view of a list that people share: its filters, its order and its columns.',
    path: '/saved-views',
    fields: {
      ...viewFields(users),
      ...(tenant !== undefined && { [`${tenant}Id`]: reference(tenant, { required: true, onDelete: 'delete' }) }),
    },
    unique: [['resource', 'name']],
    list: { style: 'page', sortable: ['name', 'createdAt'], defaultSort: 'name', filterable: ['resource', 'userId'] },
    access: {
      list: listable,
      get: listable,
      create: allOf([share, listable]),
      update: changed,
      delete: changed,
    },
    display,
    ...(tenant !== undefined && { tenant: `${tenant}Id` }),
  } as never) as DeclaredResource
  return {
    ...declared,
    [engineTraits]: { ...noTraits, holds: 'views' },
    [declarationProblems]: mistakes.map(
      ({ path, problem }) => `${writtenIn}: sharedViews: ${path && `${path}: `}${problem}`,
    ),
  } as never
}
