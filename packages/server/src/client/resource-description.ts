/**
 * The types of `GET /api/v1/_resources`: the declarations, as far as the caller may use them. A
 * front end makes its lists and forms from them.
 */

/** A JSON Schema of a value as requests and responses have it. */
export type ValueSchema = Readonly<Record<string, unknown>>

/** Language → text: `{ en: 'Price', de: 'Preis' }`. */
export type LabelsByLanguage = Readonly<Record<string, string>>

/** A text for people, with its forms in other languages where the declaration has them. */
export type LabelDescription = {
  readonly label: string
  readonly labels?: LabelsByLanguage
}

/** The field types of declarations. A front end has an input for each. */
export type FieldTypeName =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'float'
  | 'money'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'textList'
  | 'list'
  | 'uuid'
  | 'url'
  | 'slug'
  | 'json'
  | 'id'
  | 'integerId'
  | 'reference'
  | 'integerReference'
  | 'autoNumber'
  | 'manualOrder'
  | 'password'
  | 'token'
  | 'hash'
  | 'sealed'
  | 'embedded'
  | 'manyToMany'
  | 'file'
  | 'image'
  | 'files'

/** How people read and write a text, as `display.widgets` has it. */
export type WidgetName = 'longText' | 'markdown' | 'url' | 'email' | 'phone' | 'color' | 'code'

export type ReferenceDescription = {
  /** The slug of the resource of the record that it names. */
  readonly resource: string
  /** The fields that both records share. */
  readonly match: readonly string[]
}

/** The files that a field takes. */
export type FileDescription = {
  /** The slug of the resource, which an upload names with the field. */
  readonly resource: string
  /** The media types, such as `image/*`; every type where they are absent. */
  readonly types?: readonly string[]
  readonly bytesMax: number
  /** Of a list. */
  readonly filesMax?: number
  /** Smaller pictures by name. */
  readonly variants?: Readonly<Record<string, { readonly width?: number; readonly height?: number }>>
}

export type FieldDescription = LabelDescription & {
  readonly name: string
  readonly type: FieldTypeName
  readonly schema: ValueSchema
  readonly description?: string
  /** The requests whose body must have it. */
  readonly required: readonly ('create' | 'replace')[]
  /** The requests whose body may have it, for this caller. */
  readonly settable: readonly ('create' | 'replace' | 'update')[]
  /** Its value may be null. */
  readonly nullable: boolean
  readonly sortable: boolean
  /** The operators that filters on it may have; none where it takes no filter. */
  readonly operators: readonly string[]
  /** `q` looks in it. */
  readonly searched: boolean
  readonly unique: boolean
  /** The caller may see it on some records only. */
  readonly partlyShown: boolean
  readonly reference?: ReferenceDescription
  /** Of a list of links: whether it has an order, and the declared values of each link. */
  readonly links?: { readonly ordered: boolean; readonly fields: readonly FieldDescription[] }
  /** Of a field of records that holds files. */
  readonly file?: FileDescription
  readonly widget?: WidgetName
  /** The currency of its amounts: `EUR`. */
  readonly currency?: string
  /** Answers have it only where the request names it: by `fields`, or in its body. */
  readonly returned?: 'request'
  /** Its value is made when the record is read. */
  readonly virtual: boolean
  /** Callers send it and no response shows it. */
  readonly secret: boolean
  readonly deprecated: boolean
}

export type ActionDescription = LabelDescription & {
  readonly name: string
  /** The last segment of its path: `POST /orders/{id}/cancel`. */
  readonly path: string
  readonly summary?: string
  /** It adds this job, and answers with it: `result` has the fields of what the job returns. */
  readonly job?: { readonly name: string; readonly result: readonly FieldDescription[] }
  readonly input: readonly FieldDescription[]
  /** A transition of this field. It is refused in other states than `from`. */
  readonly transition?: { readonly field: string; readonly from: readonly string[]; readonly to: string }
}

export type ChildDescription = LabelDescription & {
  readonly name: string
  /** The last segment of its path: `/products/{id}/reviews`. */
  readonly path: string
  /** The slug of the resource of its records. */
  readonly resource: string
  /** The field of its records that names this one. */
  readonly by: string
  /** They are the records below this one in its tree, at all levels, or those above it. */
  readonly branch?: true
  /** There is one at most, whose path has no id. */
  readonly single: boolean
  readonly operations: readonly string[]
  /** Bodies of the record above may write them. */
  readonly inBody?: true
}

export type ResourceSummary = LabelDescription & {
  /** `orderItem` */
  readonly name: string
  /** `order-items`: scopes and `_permissions` have it. */
  readonly slug: string
  /** `Order items` */
  readonly plural: string
  readonly plurals?: LabelsByLanguage
  readonly description?: string
  /** Below `/api/v1`; absent where its records are reached only below others. */
  readonly path?: string
  /** The heading of the menu that it stands under. */
  readonly menu?: LabelDescription
  /** It stands in no menu. */
  readonly unlisted?: true
  /** The engine declares it, such as users' sessions. */
  readonly engine: boolean
  /** There is one record, or one for each tenant: its path has no id. */
  readonly single?: true
  /** Its records are tenants, belong to one, or belong to all. */
  readonly tenant?: 'is' | 'in'
  /** The field that names its tenant. A request that names the tenant gives it to a new record. */
  readonly tenantField?: string
  /** `resources/books.ts:12`; only for callers who may ask for explanations. */
  readonly declaredIn?: string
  /** New records are made below one of this resource alone: `POST /products/{id}/reviews`. */
  readonly madeBelow?: { readonly resource: string; readonly path: string }
  /** Its records are the users: the fields of the name that is theirs alone, and of their role. */
  readonly users?: { readonly name: string; readonly role: string }
  /** Changes of its records are kept, so the caller may follow them. */
  readonly live?: true
  /** Its records are views of lists that people share, as `sharedViews` declares them. */
  readonly holds?: 'views'
  /** The engine makes it: `history` has the versions of the records above. */
  readonly made?: 'history'
  /** The operations that the caller may do on all or some records. */
  readonly operations: readonly string[]
  /** The others that it declares; only for callers who may ask for explanations. */
  readonly refused?: readonly string[]
}

/** The tenants of the caller in an application that has tenants. */
export type TenancyDescription = {
  /** `club`: the header `X-Tenant: club:ID` names one. */
  readonly name: string
  /** The slug of the resource of its tenants. */
  readonly resource: string
  /** The caller reaches every tenant without a membership. */
  readonly isAbove: boolean
  readonly memberships: readonly { readonly id: string | number; readonly role: string }[]
}

export type ResourceDescription = ResourceSummary & {
  readonly idField: string
  /** The field whose value names a record for people. */
  readonly title: string
  readonly fields: readonly FieldDescription[]
  /** The fields of a list, in order, where the declaration names them. */
  readonly columns?: readonly string[]
  /** Headings with their fields, in order. Fields of no group come before them. */
  readonly groups?: readonly (LabelDescription & { readonly fields: readonly string[] })[]
  readonly actions: readonly ActionDescription[]
  readonly children: readonly ChildDescription[]
  /** Absent where it has no list. */
  readonly list?: {
    readonly style: 'page' | 'cursor' | 'all'
    readonly defaultSort: readonly { readonly field: string; readonly descending: boolean }[]
    /** Filters with a meaning of their own: `minPrice`. */
    readonly filters: readonly { readonly name: string; readonly field: string; readonly by: string }[]
    /** It takes `q`. */
    readonly search: boolean
    /** All records that a filter finds can be changed in one request. */
    readonly bulk: boolean
  }
  /** Names that `expand` takes, with the field of a reference. */
  readonly relations: readonly {
    readonly name: string
    readonly resource: string
    readonly by: string
    readonly kind: string
  }[]
  /** Every write names the version that was read. */
  readonly needsVersion: boolean
  /**
   * The values of `on` by which an import or a PUT finds a record: a unique field, or several with
   * commas.
   */
  readonly upsert: readonly string[]
}
