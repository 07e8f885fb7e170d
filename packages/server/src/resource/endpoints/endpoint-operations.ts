/**
 * Endpoints as operations: one on a resource is an operation of it, with a rule and a scope of its
 * name. One on no resource has the scope `_endpoints:NAME`.
 */
import { factsOf } from '../operation-kind.ts'
import type { ApplicationParts } from '../parts/application-parts.ts'
import type { Rule } from '../rule.ts'
import { endpointType } from './check-endpoint.ts'
import type { AnyEndpoint, DeclaredEndpoint } from './endpoint-declaration.ts'

/** The first part of the scopes of endpoints that are on no resource. */
export const endpointSlug = '_endpoints'

/** Name of an endpoint → its method, in a resource. */
export type EndpointMethods = Readonly<Record<string, AnyEndpoint['method']>>
type WithEndpoints = { readonly endpointMethods: EndpointMethods }

export function isEndpoint({ endpointMethods }: WithEndpoints, operation: string): boolean {
  return Object.hasOwn(endpointMethods, operation)
}

/** Whether an operation of the resource only reads. */
export function readsBy({ endpointMethods }: WithEndpoints, operation: string): boolean {
  return Object.hasOwn(endpointMethods, operation) ? endpointMethods[operation] === 'GET' : factsOf(operation).reads
}

/** The resource that an endpoint is on, by its name. */
export function targetNameOf({ on }: AnyEndpoint): string | undefined {
  return (on?.record ?? on?.collection)?.name
}

export function endpointsOf({ parts }: { readonly parts: ApplicationParts }): readonly DeclaredEndpoint[] {
  return parts.of(endpointType)
}

/** The names of the endpoints that are on no resource. */
export function freeEndpointNames(catalog: { readonly parts: ApplicationParts }): readonly string[] {
  return endpointsOf(catalog).flatMap(({ endpoint, partName }) =>
    targetNameOf(endpoint) === undefined ? [partName] : [],
  )
}

type OperationsOf = WithEndpoints & {
  readonly name: string
  readonly access: Readonly<Record<string, Rule | undefined>>
}

/** The resource with the operations that endpoints on it are. */
export function withEndpoints<R extends OperationsOf>(resource: R, parts: ApplicationParts): R {
  const own = parts.of(endpointType).filter(({ endpoint }) => targetNameOf(endpoint) === resource.name)
  if (own.length === 0) return resource
  const rules = Object.fromEntries(own.map(({ partName, endpoint }) => [partName, endpoint.rule]))
  const endpointMethods = Object.fromEntries(own.map(({ partName, endpoint }) => [partName, endpoint.method]))
  return { ...resource, access: { ...resource.access, ...rules }, endpointMethods }
}
