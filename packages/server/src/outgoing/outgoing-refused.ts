/** An outgoing request that this server does not send, or whose answer it does not read on. */

/** `reason`: for metrics. */
export type OutgoingRefusal = 'address' | 'scheme' | 'redirects' | 'size' | 'time'

export class OutgoingRefused extends Error {
  readonly reason: OutgoingRefusal

  constructor(reason: OutgoingRefusal, message: string) {
    super(message)
    this.name = 'OutgoingRefused'
    this.reason = reason
  }

  /** The same sentence for every kind of address: it does not tell what a name resolves to. */
  static ofHost(host: string): OutgoingRefused {
    return new OutgoingRefused(
      'address',
      `${host} is not an address of the public internet; an operator can allow it by OUTGOING_ALLOW`,
    )
  }
}
