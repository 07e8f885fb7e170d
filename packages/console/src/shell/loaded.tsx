/**
 * A part of the page that is loaded when it is first shown. React's `lazy` shows each part 300 ms
 * late, because its Suspense is throttled. The nearest boundary tells that it cannot be loaded.
 */
import { type ComponentType, createElement, useEffect, useState } from 'react'

/** `Meanwhile` takes its place until then, so that nothing below it moves. */
export function loaded<P extends object>(load: () => Promise<ComponentType<P>>, Meanwhile?: ComponentType<P>) {
  let part: ComponentType<P> | undefined
  return function Loaded(props: P) {
    const [Part, setPart] = useState(() => part)
    const [error, setError] = useState<Error>()
    useEffect(() => {
      if (Part) return
      load().then((found) => {
        part = found
        setPart(() => found)
      }, setError)
    }, [Part])
    if (error) throw error
    const Shown = Part ?? Meanwhile
    return Shown ? createElement(Shown, props) : null
  }
}
