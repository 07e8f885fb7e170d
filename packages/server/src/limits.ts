/** Every limit of the server that no variable changes. */

/** The limits of one request. Documented in docs/reference/limits.md. */
export const limits = {
  bodyBytesMax: 1_048_576,
  importLineBytesMax: 1_048_576,
  /**
   * How much of a body that is refused as too large is read and discarded, so that its sender gets
   * to read why.
   */
  discardedBytesMax: 268_435_456,
  headerBytesMax: 32_768,
  urlBytesMax: 8_192,
  headersTimeoutMs: 10_000,
  /** For a JSON body. */
  bodyTimeoutMs: 30_000,
  /** For any request, even an import of many lines. */
  requestTimeoutMs: 600_000,
  /**
   * How often the timeouts of headers and requests are checked: a late request may live this much
   * longer.
   */
  connectionsCheckMs: 1_000,
  /** For a client that neither sends nor receives anything. */
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  /** Requests in work: the server has their bodies and has not yet written their responses. */
  requestsInFlightMax: 2_000,
  /** Requests that came in the same packet as one before them, of all connections. */
  requestsHeldMax: 10_000,
  connectionsMax: 10_000,
  /**
   * Connections that the system queues until the server accepts them. Beyond this number a client
   * has to try again a second later.
   */
  connectionsWaitingMax: 4_096,
  /**
   * How long connections that come at once are accepted, one in each turn of the event loop, before
   * any of them is read.
   */
  acceptBurstMs: 50,
  /** The server then reads this many of them in one turn; addresses take turns. */
  arrivalsPerTurn: 8,
  /** When all of them are in work, so many more for the health routes. */
  connectionsExtraMax: 64,
  /** Bodies that are not complete, together. */
  bodiesBytesMax: 33_554_432,
  /** Answers that clients have not read, together, as far as the system has not taken them. */
  unreadBytesMax: 67_108_864,
  /** How often load is measured. */
  loadCheckMs: 100,
  /**
   * New requests are refused when three turns of the event loop in a row are later than this, until
   * one is earlier than the other.
   */
  loopDelayMsMax: 1_000,
  loopDelayMsCalm: 250,
  /**
   * New requests are refused when a full collection leaves more than this share of the heap in use,
   * until one leaves less than the other.
   */
  heapShareMax: 0.85,
  heapShareCalm: 0.75,
  /**
   * How long reads may share a snapshot where one process serves; the writes of another process are
   * seen this much later.
   */
  snapshotHeldMs: 5,
  /** Reads whose cost is unknown before they run. */
  costly: {
    /** In one process; one client has at most all but one of them. */
    atOnce: 2,
    waitingMax: 500,
    waitingOfClientMax: 250,
    waitMsMax: 10_000,
    readMsMax: 4_000,
  },
  /**
   * How much the operations of one batch, or the fields of one GraphQL document, read and show
   * together.
   */
  together: {
    recordsMax: 10_000,
    /** Of texts that are read, and again of answers. */
    charactersMax: 8_000_000,
    /** A batch that writes holds up other writes for as long as it runs. */
    msMax: 5_000,
  },
  /**
   * Records that one removal takes along: those that go too, and those that lose their reference.
   */
  dependentsMax: 10_000,
  /**
   * While draining, new requests are still answered for this long: a load balancer needs a moment
   * to see that we are not ready.
   */
  lameDuckMs: 300,
  drainMsMax: 8_500,
  /**
   * While draining, a client that leaves its connection open has so long to read its last response.
   * Chromium looks at its idle connections now and then only.
   */
  lastReadMsMax: 3_000,
  /** How often what has expired is removed, and how much of it in one transaction. */
  sweepEveryMs: 600_000,
  sweptAtOnce: 100,
  /** How long after its end a key is kept, so that its owner sees what became of it. */
  expiredKeysKeptMs: 90 * 24 * 60 * 60_000,
  /** Tenants that one user may be a member of, and groups within one tenant. */
  membershipsOfUserMax: 1_000,
  /** Of these, tenants that others made the user a member of: strangers leave room for the own. */
  membershipsByOthersMax: 500,
  /** Mails that wait to be sent. */
  mailsWaitingMax: 10_000,
  /** Mails that one process sends at once, and how long one may take. */
  mailsAtOnce: 10,
  mailMsMax: 120_000,
  /** How often a mail is tried, over some nine hours. */
  mailTriesMax: 12,
  /** Mails that were given up, until an operator decides. */
  mailsGivenUpMax: 1_000,
  /** Work that writes leave. */
  effects: {
    /**
     * How long a claim keeps other processes from an effect; the process that runs it renews the
     * claim. After a process has died, its effects wait for this time.
     */
    leaseMs: 60_000,
    /** How often a process looks for what another one left. */
    checkMs: 10_000,
    /** How long a stop waits for what runs. */
    stopMs: 5_000,
  },
  /** Answers that go on for as long as the client listens. */
  live: {
    /** The rest of the connections stay for other requests. */
    streamsMax: 9_500,
    /** Of one user or key, and of an address without a credential. */
    streamsOfCallerMax: 100,
    /** Requests that wait for an event of the feed; the rest of those in work stay for others. */
    waitsMax: 1_000,
    waitsOfCallerMax: 100,
    /** The records with which a set begins, and the bytes of a page that is read again. */
    recordsMax: 10_000,
    pageBytesMax: 2_000_000,
    /** Characters that wait for a client that reads slowly. */
    unreadMax: 1_000_000,
    /** Of one stream. */
    subscriptionsMax: 20,
    /** How often a stream without events sends its position. */
    heartbeatMs: 15_000,
    /** How often one does that catches up, where it has no events. */
    progressMs: 1_000,
    /** How often callers are identified again. */
    checkMs: 1_000,
    /** How often the log is looked at for changes of other processes. */
    lookMs: 50,
    /** Between two looks, also while commits follow each other: one look serves all of them. */
    restMs: 20,
    /** How long a page waits for further changes before it is read again. */
    coalesceMs: 50,
  },
  jobs: {
    /** The values of an input and of a result, as JSON. */
    inputLengthMax: 100_000,
    resultLengthMax: 1_000_000,
    /** Of a key and of a queue: PostgreSQL has no longer ones in an index. */
    keyLengthMax: 500,
    /** Jobs that are done or cancelled: the newest. */
    endedMax: 100_000,
    /** Failed ones are kept apart: the newest of each job. */
    failedMax: 10_000,
  },
  /** Where mails are files: how many are kept. */
  mailFilesMax: 1_000,
  /** Memory for totals that were counted, and for the conditions that they were counted under. */
  keptTotalsBytesMax: 8_000_000,
  /** Memory for answers that were asked for more than once. */
  keptAnswersBytesMax: 28_000_000,
  /** The file of kept answers that have no room in memory. */
  keptFileBytesMax: 268_435_456,
  /** A larger answer is made each time. */
  keptAnswerBytesMax: 262_144,
  /** Answers that are being compressed; others go out as they are. */
  compressionsMax: 16,
  /** Memory for compressed forms of answers. */
  compressedBytesMax: 16_000_000,
  /** For what another issuer answers: its addresses, its keys, what it says of a person. */
  issuerBytesMax: 262_144,
  issuerMsMax: 5_000,
  /** The largest result of a tool; a longer one says how to ask for less. */
  mcpAnswerBytesMax: 65_536,
  /**
   * Records of a list that is complete unless a page is asked for, where an agent does not say how
   * many.
   */
  mcpListLimit: 20,
} as const

/** The same numbers, or others in a test. */
export type ServerLimits = Readonly<
  Record<Exclude<keyof typeof limits, 'costly' | 'together' | 'effects' | 'live' | 'jobs'>, number>
>
