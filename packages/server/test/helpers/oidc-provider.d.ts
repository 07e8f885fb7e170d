/** Types for the parts of `oidc-provider` that the tests use; the package has none. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Client: { readonly prototype: object }
    callback(): RequestListener
  }
}
