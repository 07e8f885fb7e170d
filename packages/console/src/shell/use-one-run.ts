/** A second press of a button, while the first is being sent, does nothing. */
import { useRef } from 'react'

/** Work that is given while another is under way is not begun. The work handles its errors. */
export function useOneRun(): (work: () => Promise<unknown>) => void {
  const isRunning = useRef(false)
  return (work) => {
    if (isRunning.current) return
    isRunning.current = true
    void work().finally(() => {
      isRunning.current = false
    })
  }
}
