/** Resolves one declaration: the facts of a resource that follow from it alone. */
import { resolveAccess } from './access/change-rule.ts'
import { graphqlFields } from './access/graphql-fields.ts'
import { traitsOfOwn } from './accounts/credential-actions.ts'
import { isByEngine, markOf, traitsOf } from './accounts/engine-table.ts'
import { resolveChecks } from './code/record-check.ts'
import type { DeclaredResource } from './define.ts'
import { shownNames } from './effects/declared-changes.ts'
import { valueMaker } from './fields/computed/computed-value.ts'
import { isPartlyShown, settleRules } from './fields/field-facts.ts'
import { transitionsOf } from './fields/transition.ts'
import { fieldsOfJob } from './jobs/job-fields.ts'
import { upsertKeys } from './keys/upsert-keys.ts'
import { listSettings } from './list-settings.ts'
import { historyOf } from './made/history-table.ts'
import { traitsOfRevert } from './made/revert-action.ts'
import { treeOf } from './relations/tree.ts'
import type { Resource } from './resolved-resource.ts'
import type { ResourceTenant } from './tenancy/tenancy-tables.ts'
import { traitsOfWebhooks } from './webhooks/webhook-actions.ts'
import type { SchemaNames } from './words/document-names.ts'
import { kebabOf, labelOf, pluralOf, typeNameOf } from './words/names.ts'
import { tableNameOf } from './words/sql-names.ts'

type ResolvedParts = { readonly schemaNames: SchemaNames; readonly tenant: ResourceTenant | undefined }

/** Sentences, scopes and documents know a deleted record by the names of its resource. */
function namesShown({ of, plural }: { readonly of: string; readonly plural: string }) {
  return { label: labelOf(of), typeName: typeNameOf(of), slug: kebabOf(plural) }
}

/** Filled while the catalog is made. */
function unlinked() {
  return {
    scope: undefined,
    bounds: undefined,
    judgedReferences: [],
    children: {},
    nestedNames: [],
    links: {},
    branches: {},
    relations: {},
    parents: [],
    can: undefined,
    timedNames: [],
    referencedBy: [],
    trash: undefined,
    embeddedIn: [],
    countedIn: [],
    counts: {},
    endpointMethods: {},
  }
}

/** The stored fields, the others, and those that only some records show, in the declared order. */
function namesByKind({ fields }: DeclaredResource) {
  const names = Object.keys(fields)
  return {
    storedNames: names.filter((name) => !fields[name]?.virtual),
    virtualNames: names.filter((name) => fields[name]?.virtual),
    linkNames: names.filter((name) => fields[name]?.virtual?.kind === 'links'),
    requestedNames: names.filter((name) => fields[name]?.returned === 'request'),
    partlyShown: names.filter((name) => isPartlyShown(fields[name])),
  }
}

/** The place of its records in a manual order. The tenant is known later (`placedWithin`). */
function placedOf({ fields }: DeclaredResource): Resource['placed'] {
  const [name, field] = Object.entries(fields).find(([, one]) => one.type.places) ?? []
  const within = field?.type.places?.within(field)
  return name === undefined ? undefined : { name, within: within === undefined ? [] : [within] }
}

/** Values that follow from others: computed fields in the declared order, after `onWrite`. */
function followingOf({ fields, onWrite = {} }: DeclaredResource): Resource['onWrite'] {
  const declared = Object.entries(onWrite).flatMap(([name, by]) => (by ? [[name, by] as const] : []))
  const computed = Object.keys(fields).filter((name) => fields[name]?.computed)
  return [...declared, ...computed.map((name) => [name, valueMaker(fields, name)] as const)]
}

/** An action that adds a job answers with it. */
function actionsOf({ actions = {} }: DeclaredResource): Resource['actions'] {
  const resolved = Object.entries(actions).map(([name, action]) => {
    const { job } = action
    return [name, job ? { ...action, output: fieldsOfJob(job.add.job.output) } : action] as const
  })
  return Object.fromEntries(resolved)
}

/** Those of users are the effects of accounts too: these follow no write of a record. */
function effectsOf({ effects = {}, identity }: DeclaredResource): Resource['effects'] {
  const ofAccounts = Object.entries(identity?.code?.effects ?? {}).map(([name, { on: _, ...effect }]) => [name, effect])
  return { ...effects, ...Object.fromEntries(ofAccounts) }
}

/** References to other resources are resolved when all are known. */
export function resolveResource(declared: DeclaredResource, { schemaNames, tenant }: ResolvedParts): Resource {
  const names = Object.keys(declared.fields)
  const idField = names.find((name) => declared.fields[name]?.type.referredBy) as string
  const transitions = transitionsOf(declared.fields)
  const plural = declared.plural ?? pluralOf(declared.name)
  const traits = traitsOf(declared)
  const oneField = names.filter((name) => declared.fields[name]?.unique).map((name) => [name])
  return {
    name: declared.name,
    plural,
    description: declared.description,
    example: declared.example ?? {},
    ...namesShown(traits.made?.kind === 'trash' ? traits.made : { of: declared.name, plural }),
    schemaNames,
    table: tableNameOf(plural),
    path: declared.path,
    atRoot: declared.atRoot ?? false,
    single: declared.single ?? false,
    fields: settleRules(declared.fields),
    fieldNames: names,
    ...namesByKind(declared),
    requiredNames: names.filter((name) => declared.fields[name]?.required && !declared.fields[name]?.setBy),
    matchingNames: names.filter((name) => declared.fields[name]?.reference?.match.length),
    madeUnderParent: Object.values(declared.fields).some((field) => field.setBy === 'parent'),
    idField,
    hasCountedId: declared.fields[idField]?.type.column === 'integer',
    numberedNames: names.filter((name) => declared.fields[name]?.type.series),
    placed: placedOf(declared),
    slugNames: names.filter((name) => declared.fields[name]?.type.madeFrom),
    fileNames: names.filter((name) => declared.fields[name]?.type.holdsFiles),
    countedNames: names.filter((name) => declared.fields[name]?.counted),
    updatedField: names.find((name) => declared.fields[name]?.setBy === 'write'),
    list: listSettings(declared, idField),
    ...resolveAccess(declared.access),
    unique: [...oneField, ...(declared.unique ?? [])],
    needsVersion: declared.concurrency === 'required',
    deprecated: declared.deprecated,
    deprecatedOperations: declared.deprecatedOperations,
    upsert: new Map(upsertKeys(declared).map((key) => [key.join(','), key])),
    addOnCreate: declared.addOnCreate ?? [],
    onWrite: followingOf(declared),
    computedNames: names.filter((name) => declared.fields[name]?.computed),
    hooks: declared.hooks ?? {},
    checks: resolveChecks(declared.checks),
    actions: actionsOf(declared),
    effects: effectsOf(declared),
    history: historyOf(declared),
    shownNames: shownNames(declared),
    loggedNames: shownNames(declared),
    transitions,
    actionNames: [...new Set([...Object.keys(transitions), ...Object.keys(declared.actions ?? {})])],
    graphql: { query: graphqlFields(declared.graphql?.query), mutation: graphqlFields(declared.graphql?.mutation) },
    identity: markOf(declared),
    byEngine: isByEngine(declared),
    traits,
    actionTraits: Object.fromEntries(
      Object.entries(declared.actions ?? {}).map(([name, action]) => [
        name,
        traitsOfOwn(action) ?? traitsOfRevert(action) ?? traitsOfWebhooks(action),
      ]),
    ),
    messages: declared.messages ?? {},
    display: declared.display ?? {},
    explainAccess: declared.explainAccess,
    renamedFrom: [declared.renamedFrom ?? []].flat(),
    writtenIn: declared.writtenIn,
    writtenAt: declared.writtenAt,
    tenant,
    tree: traits.made ? undefined : treeOf(declared.fields),
    ...unlinked(),
  }
}
