/**
 * `defineService`: an object that the code of an application uses in many places, such as the
 * client of another service. It is made once and closed when the server stops.
 */
import { functionKind, type Members, mistakesIn } from '../members.ts'
import { type DeclaredPart, type PartType, partOf } from './application-part.ts'
import type { ServiceNeeds } from './part-handles.ts'

export type ServiceDeclaration<T = unknown> = {
  /**
   * Makes it, from the settings. It runs at the first use in a process. It may return a promise:
   * one that rejects is made again at the next use.
   */
  make(needs: ServiceNeeds): T
  /** Ends it when the server stops, after all work that may use it. */
  readonly close?: (made: Awaited<T>) => unknown
}

/** A service as an application lists it. */
export type DeclaredService<T = unknown, N extends string = string> = DeclaredPart<N> & {
  readonly service: ServiceDeclaration<T>
}

const members = { make: functionKind, close: functionKind } satisfies Members<ServiceDeclaration>

export const serviceType: PartType<DeclaredService> = {
  kind: 'service',
  definedBy: 'defineService',
  findFormMistakes: ({ service }) => mistakesIn(service, members, ['make']),
}

/**
 * Declares a service of an application: `defineService({ name: 'stripe', make: ({ settings }) =>
 * new Stripe(settings.of(shopSettings).stripeKey) })`. Effects, jobs and other code outside of
 * transactions use it by `services(stripe)`. Tests replace it by its name.
 */
export function defineService<T, const N extends string>({
  name,
  ...service
}: ServiceDeclaration<T> & {
  /** camelCase: tests name it so. */
  readonly name: N
}): DeclaredService<T, N> {
  return { ...partOf(serviceType, name), service }
}
