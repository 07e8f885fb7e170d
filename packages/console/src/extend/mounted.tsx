/**
 * A module of the application in its place. It is loaded when it is shown. An error in it is shown
 * in its place, and the rest of the page goes on.
 */

import type { ConsoleContext, ConsoleMount, ModuleDescription } from 'bindery-server/client'
import { useEffect, useRef, useState } from 'react'
import { serverUrl } from '../address/place.ts'
import { go, placeIn, tenantHere } from '../address/router.ts'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { language, t } from '../words/words.ts'

/** The page reads again after a write of a module: it would show the record of before. */
const send = (async (...asked: Parameters<typeof client.send>) => {
  const answer = await client.send(...asked)
  if (asked[0] !== 'GET') void queries.invalidateQueries()
  return answer
}) as typeof client.send

/** Every module gets these. */
export const ownContext: ConsoleContext = {
  language,
  client: { send },
  notify: (text) => notify({ text }),
  go: (place) => go(`${placeIn(tenantHere(), [])}${place}`),
}

type Mount = ConsoleMount<ConsoleContext, HTMLElement>
type Shown = { readonly module: ModuleDescription; readonly context: ConsoleContext; failed(error: unknown): void }

/** Mounts it in an element of its own. Returns a function that takes it away. */
function show(host: HTMLElement, { module: { address }, context, failed }: Shown): () => void {
  const element = document.createElement('div')
  host.append(element)
  let isGone = false
  const ended = (async () => {
    const { mount } = (await import(new URL(`${serverUrl}${address}`).href)) as { readonly mount: Mount }
    return isGone ? undefined : await mount(element, context)
  })()
  ended.catch((error: unknown) => isGone || failed(error))
  return () => {
    isGone = true
    element.remove()
    void ended.then((end) => end?.()).catch(() => undefined)
  }
}

type MountedProps = {
  readonly module: ModuleDescription
  readonly context: ConsoleContext
  /** It is mounted again where one of these has changed. */
  readonly on?: readonly unknown[]
  readonly className?: string
}

export function Mounted({ module, context, on = [], className }: MountedProps) {
  const host = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context is new at every render
  useEffect(() => {
    setProblem(undefined)
    const failed = (error: unknown) => setProblem(sayError(error))
    return show(host.current as HTMLDivElement, { module, context, failed })
  }, [module, ...on])
  const said = problem === undefined ? '' : t('ownFailed', { name: module.name, problem })
  return (
    <div className={className}>
      <div ref={host} />
      {problem !== undefined && (
        <span className="problem" title={said}>
          {said}
        </span>
      )}
    </div>
  )
}
