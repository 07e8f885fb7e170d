/**
 * A part of the page that is loaded when it is first shown. React's `lazy` shows each part 300 ms
 * late, because its Suspense is throttled.
 */
import { type ComponentType, createElement, useEffect, useState } from 'react'

/** `Meanwhile` takes its place until then, so that nothing below it moves. */
export function loaded<P extends object>(load: () => Promise<ComponentType<P>>, Meanwhile?: ComponentType<P>) {
  let part: ComponentType<P> | undefined
  return function Loaded(props: P) {
    const [Part, setPart] = useState(() => part)
    useEffect(() => {
      if (Part) return
      void load().then((found) => {
        part = found
        setPart(() => found)
      })
    }, [Part])
    const Shown = Part ?? Meanwhile
    return Shown ? createElement(Shown, props) : null
  }
}
