/** An operator's acts on work that waits, as the audit names them. The details name the act. */
export type WorkEvent = 'effect-retried' | 'effect-given-up'
