/** The types of the parts of an OpenAPI document that its checks read. */

export type Schema = { readonly [keyword: string]: unknown }
export type Header = { readonly required?: boolean; readonly schema?: { readonly type: string } }
/** A body, and what forms it may have besides: by `fields`, `cursor` and `Prefer`. */
export type Documented = { readonly schema: Schema; readonly 'x-other-forms'?: readonly Schema[] }
export type Response = {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, Header & { readonly $ref?: string }>>
  readonly content?: Readonly<Record<string, Documented>>
}
export type Operation = {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}
export type PathItem = { readonly 'x-also-at'?: readonly string[] } & Readonly<
  Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation | undefined>
>
export type Document = {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, Header>>
  }
}
