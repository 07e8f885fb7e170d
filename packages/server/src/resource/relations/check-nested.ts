/**
 * Finds mistakes in children that bodies write (`inBody`): those that a body cannot name, and those
 * whose writes need more than one transaction.
 */
import { operationsIn } from '../access/change-rule.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import { isOneToOne } from '../fields/field-facts.ts'
import type { ChildDeclaration } from './child-declaration.ts'

/** The record, its children, and their children. */
const levelsMax = 3
const bodies = ['create', 'replace', 'update']
const writes = ['create', 'update', 'delete']

type Declarations = DeclarationCheck['byName']

/** The operations of the child's path. */
function offered({ operations }: ChildDeclaration, target: DeclaredResource): readonly string[] {
  const has = operationsIn(target.access)
  return (operations ?? writes).filter((one) => has.has(one))
}

function nestedIn(byName: Declarations, { children = {} }: DeclaredResource): DeclaredResource[] {
  return Object.values(children).flatMap(({ inBody, resource }) => {
    const target = inBody ? byName.get(resource) : undefined
    return target ? [target] : []
  })
}

/** The names of resources that stand in each other, when they are more than a body has levels. */
function tooDeep(byName: Declarations, from: DeclaredResource): readonly string[] | undefined {
  const walk = (at: DeclaredResource, path: readonly string[]): readonly string[] | undefined => {
    if (path.length > levelsMax) return path
    for (const below of nestedIn(byName, at)) {
      const found = walk(below, [...path, below.name])
      if (found) return found
    }
    return undefined
  }
  return walk(from, [from.name])
}

function hasSecret({ fields }: DeclaredResource): boolean {
  return Object.values(fields).some(({ type }) => type.secret !== undefined)
}

function nestedMistake(context: DeclarationCheck, name: string, child: ChildDeclaration): string | undefined {
  const { declared, byName, tenancies } = context
  const target = byName.get(child.resource)
  if (!target) return undefined // reported with the child
  const verbs = offered(child, target)
  if (child.single ?? isOneToOne(target.fields[child.by]))
    return 'inBody is for children that are many; this one is single'
  if (Object.hasOwn(declared.fields, name)) return 'inBody needs a name that no field has'
  if (!bodies.some((one) => operationsIn(declared.access).has(one)))
    return `inBody needs a rule for create, replace or update under access of "${declared.name}"`
  if (!verbs.some((one) => writes.includes(one)))
    return `inBody needs a rule for create, update or delete under access of "${child.resource}"`
  if (tenancies.some(({ tenancyOf }) => tenancyOf === declared.name))
    return `"${declared.name}" is a tenant, and only its members write its records: leave inBody out`
  const secret = [declared, target].find(hasSecret)
  if (secret) return `"${secret.name}" has a secret, whose work needs a request of its own: leave inBody out`
  if (target.concurrency === 'required' && verbs.some((one) => one !== 'create'))
    return `"${child.resource}" has concurrency: 'required', and a body of its parent names no version of it: leave one of them out`
  return undefined
}

export function checkNested(context: DeclarationCheck): void {
  const { declared, byName, report } = context
  for (const [name, child] of Object.entries(declared.children ?? {})) {
    const problem = child.inBody ? nestedMistake(context, name, child) : undefined
    if (problem) report(`children.${name}`, problem)
  }
  const path = tooDeep(byName, declared)
  if (path) report('children', `inBody nests ${path.join(' in ')}, and a body has ${levelsMax} levels at most`)
}
