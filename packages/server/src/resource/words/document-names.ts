/**
 * Names of the types that documents derive from a resource: `ThingPage`, `ThingUpdate`. A declared
 * resource of that name (`thingPage`) keeps it, and the derived type is then `Thing_Page`. Declared
 * names have no `_`, so no two types ever share a name.
 */

/** OpenAPI schemas of a resource besides that of its records. */
export const schemaParts = [
  ...(['Part', 'Can', 'Created', 'Create', 'Replace', 'Update', 'Lines', 'Form'] as const),
  ...(['Collection', 'Page', 'CursorPage', 'Difference', 'Differing'] as const),
  ...(['List', 'Read', 'Written', 'Made', 'Added', 'Path'] as const),
] as const
export type SchemaPart = (typeof schemaParts)[number] | 'Record'
export type SchemaNames = Readonly<Record<SchemaPart, string>>

/**
 * The components of OpenAPI that are there whatever is declared, or for some of what is. A test
 * compares them with the documents.
 */
export const engineSchemas: ReadonlySet<string> = new Set([
  ...[
    'Allowed',
    'AnyPage',
    'PageMeta',
    'UncountedMeta',
    'CursorMeta',
    'Error',
    'Problem',
    'ImportReport',
    'Id',
    'Names',
    'Filter',
  ],
  ...['BatchOperation', 'BatchResult', 'Permissions', 'Summary', 'GraphqlRequest', 'GraphqlAnswer', 'Health'],
  ...[
    'Login',
    'TokenPair',
    'RefreshedToken',
    'RefreshToken',
    'NextStep',
    'FactorProof',
    'Enrolment',
    'FactorChallenge',
    'Enrolled',
  ],
  ...['Erasure', 'ErasureRequest'],
  ...['LogInProviders', 'LogInAddress', 'LogInStep', 'LinkedLogIn'],
  ...[
    'NotModified',
    'Minimal',
    'Graphql',
    'GraphqlRefused',
    'Invalid',
    'Anonymous',
    'Denied',
    'NotFound',
    'Conflict',
    'Changed',
  ],
  ...[
    'TooMany',
    'Internal',
    'Unavailable',
    'Refused',
    'NotAcceptable',
    'TooLarge',
    'UnsupportedMediaType',
    'KeyMismatch',
  ],
  ...['PreconditionRequired', 'Timeout', 'BadGateway'],
])

/**
 * The types that GraphQL's specification and clients know by these names. No resource can have
 * them.
 */
export const graphqlSpecified: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Boolean', 'String', 'Int', 'Float', 'ID'],
])

/** The engine's own types in GraphQL, of which each gives way to a resource of its name. */
export const engineTypes: readonly string[] = [
  ...['Money', 'DateTime', 'Date', 'LocalTime', 'JSON', 'Role', 'ListMeta', 'Subscription'],
]
/** The same of those that are made of two words. */
export const pairedTypes: readonly string[] = [
  'PermittedRecords',
  'OperationPermission',
  'ResourcePermissions',
  'EventType',
]

/** `typeNames`: of all resources. */
export function makeSchemaNames(typeNames: readonly string[]): (typeName: string) => SchemaNames {
  const claims = new Map<string, number>()
  const own = new Set(typeNames)
  for (const type of typeNames)
    for (const part of schemaParts) claims.set(type + part, (claims.get(type + part) ?? 0) + 1)
  const isTaken = (name: string) => own.has(name) || engineSchemas.has(name) || (claims.get(name) ?? 0) > 1
  return (type) => {
    const made = schemaParts.map((part) => [part, isTaken(type + part) ? `${type}_${part}` : type + part])
    return Object.fromEntries([['Record', engineSchemas.has(type) ? `${type}_Record` : type], ...made]) as SchemaNames
  }
}

export type TypeNames = {
  /**
   * One type made of these words: `['Product', 'List']` → `ProductList`, or `Product_List`.
   * `about`: the resource that it is made of; absent for what the engine has of itself.
   */
  of(words: readonly string[], about?: string): string
  /** The resource that the type of this name is made of. */
  aboutOf(name: string): string | undefined
}

/**
 * `typeNames`: of all resources, by name. `engine`: types of the engine, which give way to a
 * resource of their name alone.
 */
export function makeTypeNames(typeNames: ReadonlyMap<string, string>, engine: readonly string[]): TypeNames {
  const resources = new Set(typeNames.values())
  const given = new Map<string, string>()
  const takenBy = new Map<string, string>([...graphqlSpecified].map((name) => [name, 'GraphQL']))
  const abouts = new Map<string, string>()

  function give(key: string, words: readonly string[]): string {
    const isFree = (name: string) => !resources.has(name) && !takenBy.has(name)
    let name = words.join('')
    if (!isFree(name)) name = words.join('_')
    while (!isFree(name)) name += '_'
    takenBy.set(name, key)
    given.set(key, name)
    return name
  }

  for (const name of engine) give(JSON.stringify([[name]]), [name])
  for (const [resource, name] of typeNames) abouts.set(name, resource)
  return {
    of(words, about) {
      const key = JSON.stringify(about === undefined ? [words] : [words, about])
      const name = given.get(key) ?? give(key, words)
      if (about !== undefined) abouts.set(name, about)
      return name
    },
    aboutOf: (name) => abouts.get(name),
  }
}
