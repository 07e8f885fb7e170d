/** `defineEndpoint`, and how the endpoints of an application are found among its parts. */
import type { Fields } from '../fields/field.ts'
import { partOf } from '../parts/application-part.ts'
import { endpointType } from './check-endpoint.ts'
import type { AnyEndpoint, DeclaredEndpoint, EndpointDeclaration, EndpointError } from './endpoint-declaration.ts'
import type { EndpointOutput, ReturnedOutput } from './endpoint-output.ts'

/**
 * Declares a request of the application's own: `defineEndpoint({ name: 'quote', method: 'POST', on:
 * { record: order }, rule: user, output: { total: money({ required: true }) }, run: … })`. It is
 * passed in the list of resources.
 */
export function defineEndpoint<
  const N extends string,
  F extends Fields = never,
  const I extends Fields = Record<never, never>,
  const Q extends Fields = Record<never, never>,
  const O extends EndpointOutput | undefined = undefined,
  const E extends EndpointError = never,
  const B extends 'raw' | undefined = undefined,
  V = undefined,
  const R extends ReturnedOutput<O> = ReturnedOutput<O>,
>(endpoint: EndpointDeclaration<N, F, I, Q, O, E, B, V, R>): DeclaredEndpoint<N> {
  return { ...partOf(endpointType, endpoint.name), endpoint: endpoint as unknown as AnyEndpoint }
}
