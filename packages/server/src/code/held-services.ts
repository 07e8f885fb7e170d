/**
 * Services of an application in one process: each is made at its first use, and closed when the
 * server stops. Tests give others in their place.
 */
import { StartError } from '../errors.ts'
import { inCode } from '../record/guard/code-place.ts'
import type { ApplicationParts } from '../resource/parts/application-parts.ts'
import { type DeclaredService, serviceType } from '../resource/parts/define-service.ts'
import type { CodeSettings, Services } from '../resource/parts/part-handles.ts'
import { findMeant } from '../resource/words/nearest.ts'

/** Name → the object in place of the service of this name. */
export type ServiceTwins = Readonly<Record<string, unknown>>
type HeldServices = { readonly services: Services; close(): Promise<void> }
type HeldServicesDeps = {
  readonly parts: ApplicationParts
  readonly settings: CodeSettings
  /** Objects in place of services, by name. */
  readonly services?: ServiceTwins | undefined
  /** Told of a service that fails to close. */
  readonly report?: ((message: string) => void) | undefined
}

/** Throws `StartError` for a twin of no service. */
export function holdServices({ parts, settings, services: twins = {}, report }: HeldServicesDeps): HeldServices {
  const names = parts.of(serviceType).map(({ partName }) => partName)
  const unknown = Object.keys(twins).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new StartError(`services: there is no service "${unknown}"${findMeant(unknown, names)}`)
  const held = new Map<DeclaredService, unknown>()

  function make(part: DeclaredService): unknown {
    // Its timers and connections belong to it, and not to the code that used it first.
    const made = inCode(`service ${part.partName}`, () => part.service.make({ settings }))
    held.set(part, made)
    if (made instanceof Promise) made.catch(() => held.delete(part))
    return made
  }

  async function closeOne([part, made]: readonly [DeclaredService, unknown]): Promise<void> {
    try {
      await part.service.close?.(await made)
    } catch (error) {
      report?.(`The service ${part.partName} failed to close: ${(error as Error)?.message ?? error}`)
    }
  }

  const services = (part: DeclaredService): unknown => {
    parts.mustList(part)
    if (Object.hasOwn(twins, part.partName)) return twins[part.partName]
    return held.has(part) ? held.get(part) : make(part)
  }
  return {
    services: services as unknown as Services,
    async close() {
      const all = [...held]
      held.clear()
      // The last one that was made may use those before it.
      for (const one of all.toReversed()) await closeOne(one)
    },
  }
}
