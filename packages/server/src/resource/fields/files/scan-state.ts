/** How far the scan of a file is. */

export const scanVerdicts = ['passed', 'refused'] as const
export type ScanVerdict = (typeof scanVerdicts)[number]
/** `waiting`: its scan has yet to end. */
export const scanStates = ['waiting', ...scanVerdicts] as const
export type ScanState = (typeof scanStates)[number]
