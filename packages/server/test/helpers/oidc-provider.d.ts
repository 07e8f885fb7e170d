/** What the tests use of the package `oidc-provider`, which brings no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Client: { readonly prototype: object }
    callback(): RequestListener
  }
}
