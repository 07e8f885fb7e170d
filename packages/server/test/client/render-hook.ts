/** Runs a hook in real React, without a browser. */
import { setTimeout } from 'node:timers/promises'
import { createElement, type ReactNode } from 'react'
import { act, create, type ReactTestRenderer } from 'react-test-renderer'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

export type Hook<T> = {
  /** The value that it returned last. */
  current(): T
  /** Waits for it to return such a value. Throws after five seconds. */
  until(fits: (value: T) => boolean): Promise<void>
  end(): Promise<void>
}

/** `inside` puts the providers around it. */
export async function renderHook<T>(hook: () => T, inside: (children: ReactNode) => ReactNode): Promise<Hook<T>> {
  let value: T | undefined
  const Caller = () => {
    value = hook()
    return null
  }
  let renderer: ReactTestRenderer | undefined
  await act(async () => {
    renderer = create(inside(createElement(Caller)) as never)
  })
  return {
    current: () => value as T,
    async until(fits) {
      for (let i = 0; i < 20_000; i += 1) {
        if (value !== undefined && fits(value)) return
        await act(() => setTimeout(10))
      }
      throw new Error('The hook never returned that')
    },
    async end() {
      await act(async () => renderer?.unmount())
    },
  }
}
