// Demo data: the texts of the shop. Blog posts (some still drafts), messages between customers and
// staff, product reviews that fit any product, and the users who log in.

export const demoPosts: readonly {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly published: boolean
}[] = [
  {
    title: 'Why we sell books next to frying pans',
    body: 'People ask why a bookshop has a kitchen corner. The honest answer is that we began with cookery books and customers kept asking where to find the pan in the picture. Ten years on, the two halves of the shop keep each other company.',
    tags: ['shop', 'books', 'kitchen'],
    published: true,
  },
  {
    title: 'How we choose what goes on the front table',
    body: 'The front table holds forty books and changes every Thursday. Half are new, a quarter are old books we want to see read again, and the rest are picked by whoever opens the shop that day. Nobody pays to be on it.',
    tags: ['books', 'behind the counter'],
    published: true,
  },
  {
    title: 'Looking after cast iron',
    body: 'Wash it while it is warm, dry it on the hob and rub in a few drops of oil. Soap will not ruin it; a night in the sink will. If rust does appear, scrub it back with salt, oil it and bake it for an hour.',
    tags: ['kitchen', 'care', 'how-to'],
    published: true,
  },
  {
    title: 'Stocktaking, the quiet way',
    body: 'We used to close for two days in January and count everything. Now we count one shelf each morning before opening, and the whole shop has been counted by the end of the quarter. Mistakes are smaller and easier to explain.',
    tags: ['behind the counter', 'stock'],
    published: true,
  },
  {
    title: 'Ten novels in translation for long evenings',
    body: 'From Mexico to Hungary, these are the translated novels we press into people’s hands most often. Start with Pedro Páramo, which takes one evening and stays for years, then clear a weekend for Sátántangó.',
    tags: ['books', 'translation', 'lists'],
    published: true,
  },
  {
    title: 'What “out of stock” means here',
    body: 'A nought on the page means we have none and do not know when more will come. If the supplier has given us a date, we say so. Some things, such as prints made to order, are never counted at all, and those you can always buy.',
    tags: ['stock', 'orders'],
    published: true,
  },
  {
    title: 'The café reopens with a new grinder',
    body: 'After three weeks of paint and plumbing the café at the back is open again. There is room for six more chairs, the counter is lower, and the new grinder is quiet enough that you can read beside it.',
    tags: ['café', 'news'],
    published: true,
  },
  {
    title: 'Repairs: what we can mend and what we cannot',
    body: 'We re-glue bindings, re-wire lamps and true bicycle wheels on Wednesday afternoons. We do not open sealed headphones or sharpen serrated knives, but we know people nearby who do, and we will send you to them.',
    tags: ['repairs', 'how-to'],
    published: true,
  },
  {
    title: 'Choosing a first fountain pen',
    body: 'Buy a medium nib, a bottle of plain blue ink and paper that does not bleed. Spend less than you meant to. If you still use it after three months, come back and try the ones in the cabinet.',
    tags: ['stationery', 'how-to'],
    published: true,
  },
  {
    title: 'A year without plastic tape',
    body: 'Every parcel since last spring has gone out with paper tape and shredded card from our own boxes. Breakages have not risen. The one thing we have not solved is a good sleeve for art prints; suggestions are welcome.',
    tags: ['shipping', 'behind the counter'],
    published: true,
  },
  {
    title: 'The computing shelf, revised',
    body: 'Manuals age badly, so we cleared out forty of them and kept the books people reread: The Mythical Man-Month, Programming Pearls and the first volume of Knuth. One shelf is now for stories about the people behind the machines.',
    tags: ['books', 'computing'],
    published: true,
  },
  {
    title: 'Meet the potter behind our cups',
    body: 'The hand-thrown cups come from a workshop two streets away, where each one is weighed before it is turned. Glazes vary from firing to firing, so if you want a matching pair, buy both on the same day.',
    tags: ['makers', 'café'],
    published: true,
  },
  {
    title: 'Gift wrapping in December',
    body: 'Wrapping is free again this December, in block-printed paper or plain kraft. Please allow ten minutes on Saturdays, and let us know in the order note if the label should carry another name.',
    tags: ['gifts', 'orders'],
    published: false,
  },
  {
    title: 'Notes for a summer reading club',
    body: 'Six evenings, six short books, no homework beyond reading them. We are thinking of The Summer Book, Flatland and A hora da estrela to begin with. Still to settle: which evening, and who brings the lemonade.',
    tags: ['books', 'events'],
    published: false,
  },
  {
    title: 'How our prices are made',
    body: 'A draft that tries to say plainly where the money goes: about half to the maker or publisher, a fifth to rent and wages, and so on down to the card fee. The figures need checking against last year’s accounts before this goes out.',
    tags: ['behind the counter', 'prices'],
    published: false,
  },
  {
    title: 'Bicycle deliveries across town',
    body: 'From next month, orders within five kilometres could arrive by cargo bike the same afternoon. We have tried it with friends for a fortnight and only one parcel met a puddle. Details to follow once the insurance is signed.',
    tags: ['shipping', 'cycling', 'news'],
    published: false,
  },
]

export const demoMessages: readonly string[] = [
  'Hello, is the large stoneware bowl likely to come back before the weekend?',
  'We expect six on Thursday morning. Shall I put one aside for you?',
  'Yes please, under the name Okafor. I can collect it on Friday.',
  'My parcel says delivered, but there is nothing at the door.',
  'Sorry about that. The courier left it at number 14; they are in until six.',
  'Found it, thank you. Everything arrived in one piece.',
  'Can I change the delivery address on the order I made this morning?',
  'It has not been packed yet, so send me the new address and I will update it.',
  'Do you have a Spanish edition of One Hundred Years of Solitude?',
  'We do: two paperbacks and one clothbound copy on the translation shelf.',
  'The lamp I bought last week flickers. Is it the bulb or the switch?',
  'Try another bulb first. If it still flickers, bring it in on Wednesday and we will look at it.',
  'It was the bulb. I feel a little silly, but thank you!',
  'Could you gift-wrap two of the books and leave out the receipt?',
  'Of course. I have added a note to the order, and there is no charge for wrapping.',
  'What is the return period if the gloves turn out too small?',
  'Thirty days, unworn. An exchange for the next size up is free.',
  'Is the café open on Monday mornings?',
  'From nine, yes. The kitchen starts at ten, so it is only coffee and cake before that.',
  'Your repair is ready: the spine is re-glued and should rest flat until tomorrow.',
]

// biome-ignore format: one review a line
export const demoReviews: readonly {
  readonly rating: 1 | 2 | 3 | 4 | 5
  readonly title: string
  readonly body: string
}[] = [
  { rating: 5, title: 'Better than expected', body: 'The photos do not do it justice. Very happy with it.' },
  { rating: 5, title: 'Bought a second one', body: 'The first was for me, the second for my sister, who would not stop asking.' },
  { rating: 4, title: 'Good, with a small flaw', body: 'There was a tiny mark on one side, but I would buy it again.' },
  { rating: 3, title: 'It is all right', body: 'Does what it says and no more. I expected a little extra for the price.' },
  { rating: 5, title: 'A lovely present', body: 'Came carefully wrapped and went down very well on the day.' },
  { rating: 2, title: 'Not as described', body: 'The colour was quite different from the picture. The return was easy, though.' },
  { rating: 4, title: 'Solid quality', body: 'Feels well made, and you can tell somebody checked it before it was sent.' },
  { rating: 1, title: 'Arrived damaged', body: 'The box was crushed and so was what was in it. Waiting for a replacement.' },
  { rating: 5, title: 'Quick and careful', body: 'Ordered on Monday, here on Wednesday, and packed without a scrap of plastic.' },
  { rating: 4, title: 'Would recommend', body: 'After two months of regular use I have nothing to complain about.' },
  { rating: 3, title: 'Smaller than I thought', body: 'My own fault for not reading the details. Nice otherwise.' },
  { rating: 5, title: 'Worth the wait', body: 'It was sold out for weeks, and now I understand why.' },
  { rating: 4, title: 'Nearly perfect', body: 'One more choice of colour and I would have given five stars.' },
  { rating: 2, title: 'Disappointed', body: 'Looks fine from a distance, but the finish is rough when you get close.' },
  { rating: 5, title: 'Exactly right', body: 'I had looked for one of these for a year. This is the one.' },
  { rating: 3, title: 'Mixed feelings', body: 'I like it, my partner does not. It is staying for now.' },
  { rating: 4, title: 'Fair price', body: 'I have seen the same thing elsewhere for a good deal more.' },
  { rating: 5, title: 'Kind and helpful staff', body: 'I wrote with a question first and had a clear answer within the hour.' },
  { rating: 1, title: 'Wrong item sent', body: 'I received something else entirely, and putting it right took two weeks.' },
  { rating: 4, title: 'Used every week', body: 'It has earned its place, and it still looks as good as new.' },
  { rating: 5, title: 'Grandfather approves', body: 'Even he, who likes almost nothing, asked where I had found it.' },
  { rating: 2, title: 'Too dear for what it is', body: 'There is nothing wrong with it, but I would not pay this much again.' },
  { rating: 3, title: 'Slow delivery', body: 'A good product, but it came a week later than promised.' },
  { rating: 5, title: 'No complaints at all', body: 'Simple, well thought out and pleasant to use.' },
]

export const demoPeople: readonly {
  /** Only of the one to whom an example in the documents writes. */
  readonly id?: string
  readonly name: string
  readonly email: string
  readonly role: 'USER' | 'EDITOR' | 'ADMIN'
  readonly status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
}[] = [
  { name: 'Ada Okafor', email: 'ada@demo.example', role: 'ADMIN', status: 'ACTIVE' },
  { name: 'Grace Lindqvist', email: 'grace@demo.example', role: 'EDITOR', status: 'ACTIVE' },
  { name: 'Alan Whitlock', email: 'alan@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'Zoë Marchetti', email: 'zoe@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'José Ibáñez', email: 'jose@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'Mei Tanaka', email: 'mei@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'Łukasz Wójcik', email: 'lukasz@demo.example', role: 'USER', status: 'INACTIVE' },
  { name: 'Priya Raman', email: 'priya@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'Søren Dahl', email: 'soren@demo.example', role: 'USER', status: 'ACTIVE' },
  { name: 'Viktor Novák', email: 'viktor@demo.example', role: 'USER', status: 'SUSPENDED' },
  {
    id: '01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9f',
    name: 'Amina Haddad',
    email: 'amina@demo.example',
    role: 'USER',
    status: 'ACTIVE',
  },
  { name: 'Renée Fournier', email: 'renee@demo.example', role: 'USER', status: 'ACTIVE' },
]
