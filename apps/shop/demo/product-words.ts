// The words that demo products are composed of. Each category has range names, remarks and kinds of
// thing. Each kind says its use, its price range, its packaging and its sizes or colours.

export interface ProductKind {
  /** Lower case, as it reads inside a sentence. */
  readonly noun: string
  /** A verb phrase: 'a <make> <noun> that <does>'. */
  readonly does: string
  readonly price: readonly [low: number, high: number]
  readonly makes: readonly string[]
  /** Smallest or plainest first; 'in ...' joins without a comma. */
  readonly sizes: readonly string[]
  readonly plural?: boolean
  /** Stands without an article: 'honey', 'loose tea'. */
  readonly uncountable?: boolean
}

export interface ProductCategory {
  readonly name: string
  /** Range or maker names that may stand before the make. */
  readonly ranges: readonly string[]
  /** Participles or adjectives that fit every kind here. */
  readonly remarks: readonly string[]
  readonly kinds: readonly ProductKind[]
}

const colours = ['in Chalk', 'in Crème', 'in Moss Green', 'in Slate Blue', 'in Terracotta', 'in Charcoal']
const clothes = ['XS', 'S', 'M', 'L', 'XL']

// biome-ignore format: one kind a line
export const productCategories: readonly ProductCategory[] = [
  {
    name: 'Kitchen', ranges: ['Everyday', 'Heritage', 'Farmhouse', 'Bistro', 'Café Paris'],
    remarks: ['guaranteed for ten years', 'tested by our own cooks', 'packed without plastic', 'made by a family firm', 'chosen for daily use'],
    kinds: [
      { noun: 'frying pan', does: 'sears well and goes from hob to oven', price: [24, 95], makes: ['cast iron', 'carbon steel', 'copper', 'stainless steel'], sizes: ['20 cm', '24 cm', '28 cm', '32 cm'] },
      { noun: 'saucepan', does: 'heats evenly and pours without a drip', price: [22, 88], makes: ['enamel', 'copper', 'stainless steel', 'aluminium'], sizes: ['1 l', '1.5 l', '2 l', '3 l'] },
      { noun: 'chopping board', does: 'is kind to knives and easy to wipe down', price: [14, 62], makes: ['beech', 'oak', 'walnut', 'olive wood', 'bamboo'], sizes: ['Small', 'Medium', 'Large'] },
      { noun: 'mixing bowl', does: 'sits steady on the worktop', price: [9, 38], makes: ['stoneware', 'glass', 'enamel', 'stainless steel'], sizes: ['1 l', '2 l', '4 l', '6 l'] },
      { noun: 'kitchen knife', does: 'holds its edge and balances in the hand', price: [18, 120], makes: ['carbon steel', 'Damascus steel', 'stainless steel', 'ceramic'], sizes: ['9 cm', '15 cm', '18 cm', '21 cm'] },
      { noun: 'storage jars', does: 'keep flour, rice and pulses dry', price: [12, 44], makes: ['glass', 'stoneware', 'enamel'], sizes: ['Set of 2', 'Set of 3', 'Set of 6'], plural: true },
    ],
  },
  {
    name: 'Garden', ranges: ['Allotment', 'Cottage', 'Orchard', 'Greenhouse'],
    remarks: ['made to be left out in the rain', 'tried on our own allotment', 'easy to hose clean', 'made to last many seasons', 'packed in recycled card'],
    kinds: [
      { noun: 'plant pot', does: 'drains freely and keeps roots cool', price: [4.5, 46], makes: ['terracotta', 'glazed', 'zinc', 'recycled plastic', 'fibre clay'], sizes: ['12 cm', '18 cm', '25 cm', '35 cm', '45 cm'] },
      { noun: 'watering can', does: 'pours slowly through a fine rose', price: [14, 58], makes: ['galvanised', 'copper', 'recycled plastic'], sizes: ['1.5 l', '5 l', '9 l'] },
      { noun: 'hand trowel', does: 'cuts into heavy soil without bending', price: [8, 29], makes: ['stainless steel', 'forged steel', 'copper', 'bronze'], sizes: ['Narrow', 'Standard', 'Wide'] },
      { noun: 'gardening gloves', does: 'keep thorns out and still let you feel the seeds', price: [7, 34], makes: ['leather', 'bamboo', 'canvas', 'nitrile'], sizes: ['S', 'M', 'L'], plural: true },
      { noun: 'trellis', does: 'carries climbing roses and beans', price: [16, 64], makes: ['willow', 'cedar', 'steel', 'bamboo'], sizes: ['90 cm', '120 cm', '180 cm'] },
      { noun: 'bird feeder', does: 'keeps seed dry and squirrels guessing', price: [9, 38], makes: ['oak', 'cedar', 'steel', 'glass'], sizes: ['Small', 'Large', 'Large with Roof'] },
    ],
  },
  {
    name: 'Audio', ranges: ['Studio', 'Nocturne', 'Étude', 'Broadcast', 'Tempo'],
    remarks: ['covered by a three-year warranty', 'easy to repair with spare parts', 'tried out in our listening room', 'sold with free returns', 'packed in a recycled box'],
    kinds: [
      { noun: 'headphones', does: 'stay comfortable through a long album', price: [39, 320], makes: ['open-back', 'closed-back', 'wireless', 'noise-cancelling'], sizes: ['Mk I', 'Mk II', 'Mk III', 'in Black', 'in Silver'], plural: true },
      { noun: 'earphones', does: 'keep speech clear on a noisy train', price: [19, 160], makes: ['wired', 'wireless', 'sports'], sizes: ['in Black', 'in Chalk', 'in Coral', 'in Navy'], plural: true },
      { noun: 'speaker', does: 'fills a room without booming', price: [45, 410], makes: ['bookshelf', 'portable', 'Bluetooth', 'floor-standing'], sizes: ['Model 10', 'Model 20', 'Model 30', 'Model 50'] },
      { noun: 'turntable', does: 'spins quietly at both speeds', price: [129, 640], makes: ['belt-drive', 'direct-drive', 'manual', 'automatic'], sizes: ['in Walnut', 'in Oak', 'in Black', 'in White'] },
      { noun: 'radio', does: 'holds its stations and has one honest dial', price: [29, 190], makes: ['digital', 'kitchen', 'portable', 'bedside'], sizes: ['in Cream', 'in Red', 'in Sage', 'in Black'] },
      { noun: 'audio cable', does: 'fits snugly and resists tangling', price: [6.5, 42], makes: ['braided', 'gold-plated', 'optical', 'shielded'], sizes: ['1 m', '2 m', '3 m', '5 m'] },
    ],
  },
  {
    name: 'Books & Paper', ranges: ['Bindery', 'Atelier', 'Archive', 'Quarto'],
    remarks: ['designed by a local binder', 'made in small runs', 'finished in our own workshop', 'checked by hand', 'wrapped in tissue'],
    kinds: [
      { noun: 'journal', does: 'lies flat at any page', price: [9, 42], makes: ['cloth-bound', 'leather-bound', 'coptic-stitched', 'quarter-bound'], sizes: ['A6', 'A5', 'B5', 'A4'] },
      { noun: 'photo album', does: 'keeps prints flat between glassine leaves', price: [18, 68], makes: ['linen', 'cloth-bound', 'leather-bound', 'kraft'], sizes: ['30 Pages', '50 Pages', '80 Pages'] },
      { noun: 'wrapping paper', does: 'folds crisply and takes a ribbon well', price: [3.5, 16], makes: ['marbled', 'kraft', 'block-printed', 'chiyogami'], sizes: ['2 Sheets', '5 Sheets', '10 Sheets'], uncountable: true },
      { noun: 'bookmark', does: 'marks the page without creasing it', price: [2.5, 14], makes: ['leather', 'felt', 'letterpress', 'woven'], sizes: colours },
      { noun: 'book ends', does: 'hold a full shelf upright', price: [16, 72], makes: ['marble', 'walnut', 'steel', 'cast iron'], sizes: ['Small', 'Medium', 'Tall'], plural: true },
      { noun: 'art print', does: 'brightens a wall from a shelf away', price: [12, 85], makes: ['letterpress', 'risograph', 'linocut', 'screen-printed'], sizes: ['A5', 'A4', 'A3', 'A2'] },
    ],
  },
  {
    name: 'Café', ranges: ['Café Central', 'Señor Pérez', 'Tostado', 'Morning', 'Corner'],
    remarks: ['used every day at our own counter', 'chosen by our baristas', 'packed on the day of the order', 'kept in stock all year', 'recommended by regulars'],
    kinds: [
      { noun: 'coffee beans', does: 'give a round cup with very little bitterness', price: [7.5, 34], makes: ['light roast', 'medium roast', 'dark roast', 'decaf', 'espresso'], sizes: ['250 g', '500 g', '1 kg'], plural: true },
      { noun: 'loose tea', does: 'opens slowly and stands a second brew', price: [5.5, 28], makes: ['Assam', 'Darjeeling', 'jasmine', 'rooibos', 'oolong'], sizes: ['50 g', '100 g', '250 g'], uncountable: true },
      { noun: 'coffee syrup', does: 'sweetens a latte without taking it over', price: [5.5, 14], makes: ['vanilla', 'hazelnut', 'crème brûlée', 'salted caramel'], sizes: ['250 ml', '500 ml', '750 ml'], uncountable: true },
      { noun: 'coffee grinder', does: 'grinds evenly from filter to espresso', price: [34, 260], makes: ['hand-crank', 'electric', 'travel', 'flat-burr'], sizes: ['Model S', 'Model M', 'Model L'] },
      { noun: 'coffee pot', does: 'pours cleanly and keeps its heat', price: [19, 82], makes: ['moka', 'enamel', 'stoneware', 'glass', 'French press'], sizes: ['2 Cups', '4 Cups', '6 Cups', '8 Cups'] },
      { noun: 'cup and saucer', does: 'sits well in the hand and stacks neatly', price: [9, 32], makes: ['porcelain', 'stoneware', 'bone china', 'hand-thrown'], sizes: colours },
    ],
  },
  {
    name: 'Outdoor', ranges: ['Summit', 'Fjord', 'Moorland', 'Basecamp', 'Coastal'],
    remarks: ['tested on wet hills', 'backed by our repair bench', 'made for all seasons', 'packed without plastic', 'chosen by walkers'],
    kinds: [
      { noun: 'backpack', does: 'rides close to the back and sheds rain', price: [39, 210], makes: ['ripstop', 'waxed canvas', 'recycled nylon', 'roll-top'], sizes: ['18 l', '25 l', '35 l', '50 l'] },
      { noun: 'flask', does: 'keeps soup hot until the top', price: [14, 48], makes: ['steel', 'titanium', 'powder-coated', 'wide-mouth'], sizes: ['350 ml', '500 ml', '750 ml', '1 l'] },
      { noun: 'tent', does: 'goes up in minutes and stands firm in wind', price: [110, 620], makes: ['tunnel', 'dome', 'geodesic', 'ridge'], sizes: ['1 Person', '2 Person', '3 Person', '4 Person'] },
      { noun: 'sleeping bag', does: 'stays warm where others go flat', price: [49, 340], makes: ['down', 'synthetic', 'quilted', 'mummy'], sizes: ['10 °C', '5 °C', '0 °C', '−5 °C'] },
      { noun: 'picnic blanket', does: 'keeps damp grass at bay', price: [22, 74], makes: ['wool', 'waxed cotton', 'recycled fleece'], sizes: ['120 × 150 cm', '150 × 180 cm', '180 × 220 cm'] },
      { noun: 'camp stove', does: 'boils water fast even in a breeze', price: [24, 150], makes: ['gas', 'wood-burning', 'alcohol', 'titanium'], sizes: ['Solo', 'Duo', 'Group'] },
    ],
  },
  {
    name: 'Toys', ranges: ['Little', 'Playroom', 'Piñata', 'Rainy Day', 'Grandpa’s'],
    remarks: ['safety tested', 'designed with children', 'loved by our youngest testers', 'sturdy enough to hand down', 'boxed ready to give'],
    kinds: [
      { noun: 'building blocks', does: 'stack high and fall softly', price: [14, 68], makes: ['beech', 'maple', 'cork', 'painted'], sizes: ['24 Pieces', '48 Pieces', '96 Pieces'], plural: true },
      { noun: 'jigsaw puzzle', does: 'keeps a table busy all afternoon', price: [8, 36], makes: ['wooden', 'map', 'woodland', 'harbour', 'night sky'], sizes: ['60 Pieces', '200 Pieces', '500 Pieces', '1000 Pieces'] },
      { noun: 'teddy bear', does: 'survives the wash and sits up by itself', price: [16, 75], makes: ['mohair', 'cotton', 'corduroy', 'alpaca'], sizes: ['20 cm', '30 cm', '40 cm'] },
      { noun: 'train set', does: 'runs on all common wooden tracks', price: [24, 110], makes: ['beech', 'freight', 'mountain', 'harbour'], sizes: ['20 Pieces', '40 Pieces', '60 Pieces'] },
      { noun: 'kite', does: 'climbs in the lightest wind', price: [9, 46], makes: ['ripstop', 'diamond', 'delta', 'box'], sizes: ['in Red', 'in Yellow', 'in Blue', 'in Rainbow Stripes'] },
      { noun: 'board game', does: 'teaches in five minutes and lasts an hour', price: [14, 58], makes: ['co-operative', 'strategy', 'word', 'memory', 'trading'], sizes: ['2 Players', '2–4 Players', '3–6 Players'] },
    ],
  },
  {
    name: 'Lighting', ranges: ['Lumière', 'Harbour', 'Workshop', 'Aurora', 'Porter'],
    remarks: ['made for long evenings', 'finished by hand', 'guaranteed for five years', 'ready to use in minutes', 'tested in our own shop window'],
    kinds: [
      { noun: 'desk lamp', does: 'lights the page and not the eyes', price: [29, 165], makes: ['brass', 'steel', 'oak', 'LED'], sizes: colours },
      { noun: 'pendant light', does: 'throws a soft circle over the table', price: [36, 230], makes: ['glass', 'rattan', 'copper', 'porcelain', 'linen'], sizes: ['20 cm', '30 cm', '40 cm', '50 cm'] },
      { noun: 'floor lamp', does: 'makes a reading corner out of any chair', price: [69, 340], makes: ['tripod', 'arched', 'brass', 'bamboo'], sizes: ['140 cm', '160 cm', '180 cm'] },
      { noun: 'wall light', does: 'turns a dark landing friendly', price: [26, 140], makes: ['brass', 'enamel', 'ceramic', 'swing-arm'], sizes: ['Single', 'Double', 'Triple'] },
      { noun: 'lantern', does: 'glows steadily indoors and out', price: [16, 84], makes: ['zinc', 'glass', 'solar', 'paper'], sizes: ['Small', 'Medium', 'Large'] },
      { noun: 'string lights', does: 'drape easily along a shelf or hedge', price: [9, 42], makes: ['solar', 'LED', 'copper wire', 'festoon'], sizes: ['3 m', '5 m', '10 m', '20 m'], plural: true },
    ],
  },
  {
    name: 'Tools', ranges: ['Joiner’s', 'Workshop', 'Foundry', 'Apprentice'],
    remarks: ['checked by hand before sale', 'sold with a lifetime guarantee', 'made in a small factory', 'easy to care for', 'trusted by local joiners'],
    kinds: [
      { noun: 'hammer', does: 'swings true and does not sting the hand', price: [14, 58], makes: ['claw', 'ball-pein', 'cross-pein', 'sledge'], sizes: ['225 g', '340 g', '450 g', '560 g'] },
      { noun: 'chisel', does: 'takes a keen edge and keeps it', price: [12, 64], makes: ['bevel-edge', 'mortise', 'paring', 'firmer'], sizes: ['6 mm', '12 mm', '18 mm', '25 mm'] },
      { noun: 'hand saw', does: 'cuts straight on both long and short strokes', price: [16, 78], makes: ['tenon', 'dovetail', 'panel', 'pull'], sizes: ['20 cm', '25 cm', '30 cm', '50 cm'] },
      { noun: 'screwdriver', does: 'grips the screw and fits the palm', price: [5.5, 26], makes: ['slotted', 'cross-head', 'ratchet', 'insulated'], sizes: ['Size 1', 'Size 2', 'Size 3'] },
      { noun: 'tape measure', does: 'locks firmly and reads from either side', price: [5, 28], makes: ['steel', 'fibreglass', 'magnetic'], sizes: ['3 m', '5 m', '8 m', '10 m'] },
      { noun: 'toolbox', does: 'opens wide and closes with a click', price: [22, 120], makes: ['steel', 'beech', 'cantilever', 'waxed canvas'], sizes: ['35 cm', '45 cm', '55 cm'] },
    ],
  },
  {
    name: 'Cycling', ranges: ['Randonnée', 'Commuter', 'Tourer', 'Velodrome', 'Lane'],
    remarks: ['chosen by our mechanic', 'stocked all year round', 'proven on winter commutes', 'packed in plain card', 'made for everyday riding'],
    kinds: [
      { noun: 'saddle', does: 'grows more comfortable with every ride', price: [24, 145], makes: ['leather', 'cotton', 'gel', 'carbon'], sizes: ['Narrow', 'Standard', 'Wide'] },
      { noun: 'pannier', does: 'clips on with one hand and keeps rain out', price: [29, 130], makes: ['waxed canvas', 'roll-top', 'recycled nylon', 'wicker'], sizes: ['10 l', '15 l', '20 l', '25 l'] },
      { noun: 'bell', does: 'rings clearly without startling anyone', price: [6, 34], makes: ['brass', 'copper', 'steel', 'alloy'], sizes: ['Small', 'Standard', 'Large'] },
      { noun: 'cycling gloves', does: 'take the buzz out of rough roads', price: [14, 56], makes: ['crochet', 'leather', 'merino', 'windproof'], sizes: clothes, plural: true },
      { noun: 'bike light', does: 'shows you from a long way off', price: [12, 88], makes: ['USB', 'dynamo', 'front', 'rear'], sizes: ['50 Lumens', '100 Lumens', '300 Lumens', '600 Lumens'] },
      { noun: 'tyre', does: 'rolls fast and shrugs off flint', price: [16, 68], makes: ['touring', 'gravel', 'road', 'winter'], sizes: ['700 × 28', '700 × 32', '700 × 38', '700 × 42'] },
    ],
  },
  {
    name: 'Textiles', ranges: ['Provençal', 'Island', 'Homestead', 'Loom', 'Décor'],
    remarks: ['made on old looms', 'dyed with plant colours', 'finished by a family mill', 'checked by hand', 'produced in small batches'],
    kinds: [
      { noun: 'throw', does: 'adds a warm layer to sofa or bed', price: [34, 165], makes: ['lambswool', 'merino', 'alpaca', 'cotton'], sizes: colours },
      { noun: 'cushion cover', does: 'zips off for the wash', price: [12, 54], makes: ['linen', 'velvet', 'kilim', 'organic cotton'], sizes: ['40 × 40 cm', '45 × 45 cm', '50 × 50 cm', '30 × 50 cm'] },
      { noun: 'tea towel', does: 'dries glasses without leaving lint', price: [5, 18], makes: ['linen', 'cotton', 'waffle', 'half-linen'], sizes: colours },
      { noun: 'tablecloth', does: 'falls well and irons flat', price: [24, 110], makes: ['linen', 'jacquard', 'block-printed', 'damask'], sizes: ['140 × 140 cm', '140 × 200 cm', '160 × 280 cm'] },
      { noun: 'rug', does: 'softens a hard floor and stays put', price: [48, 390], makes: ['wool', 'jute', 'flatweave', 'recycled cotton'], sizes: ['60 × 90 cm', '80 × 150 cm', '120 × 180 cm', '170 × 240 cm'] },
      { noun: 'scarf', does: 'wraps twice and never itches', price: [18, 92], makes: ['lambswool', 'cashmere', 'silk', 'merino'], sizes: colours },
    ],
  },
  {
    name: 'Stationery', ranges: ['Scriptorium', 'Clerk’s', 'Ministry', 'Résumé', 'Drafting'],
    remarks: ['chosen by people who still write letters', 'boxed ready to give', 'packed in plain card', 'stocked since we opened', 'kept on our own desks'],
    kinds: [
      { noun: 'fountain pen', does: 'starts at once and writes without skipping', price: [16, 180], makes: ['brass', 'resin', 'steel', 'ebonite'], sizes: ['Extra Fine', 'Fine', 'Medium', 'Broad'] },
      { noun: 'ink', does: 'flows well and dries with gentle shading', price: [6, 28], makes: ['iron gall', 'pigment', 'dye-based', 'document'], sizes: ['in Blue-Black', 'in Sepia', 'in Vert Émeraude', 'in Oxblood', 'in Violet'], uncountable: true },
      { noun: 'pencils', does: 'sharpen cleanly and do not snap', price: [4, 26], makes: ['cedar', 'graphite', 'colouring', 'watercolour'], sizes: ['Set of 6', 'Set of 12', 'Set of 24'], plural: true },
      { noun: 'notebook', does: 'takes ink on both sides of the page', price: [4.5, 24], makes: ['dotted', 'ruled', 'squared', 'plain'], sizes: ['A6', 'A5', 'B5', 'A4'] },
      { noun: 'envelopes', does: 'seal well and feel good to open', price: [3.5, 18], makes: ['laid', 'kraft', 'cotton', 'recycled'], sizes: ['Pack of 10', 'Pack of 25', 'Pack of 50'], plural: true },
      { noun: 'desk tray', does: 'gives loose papers a place to be', price: [12, 58], makes: ['oak', 'steel', 'felt', 'leather'], sizes: ['A5', 'A4', 'A3'] },
    ],
  },
  {
    name: 'Pantry', ranges: ['Señor Pérez', 'Doña Lupe', 'Market', 'Smokehouse', 'Côte d’Azur'],
    remarks: ['made in small batches', 'labelled by hand', 'good for a year in the cupboard', 'free of colourings', 'bought straight from the maker'],
    kinds: [
      { noun: 'hot sauce', does: 'wakes up eggs, tacos and soup', price: [4.5, 14], makes: ['jalapeño', 'habanero', 'chipotle', 'ají amarillo', 'piri-piri'], sizes: ['100 ml', '150 ml', '250 ml'], uncountable: true },
      { noun: 'olive oil', does: 'finishes a salad with a peppery note', price: [8, 38], makes: ['early harvest', 'cold-pressed', 'lemon', 'garlic'], sizes: ['250 ml', '500 ml', '1 l'], uncountable: true },
      { noun: 'chutney', does: 'stands up to strong cheese', price: [4, 9.5], makes: ['apple', 'mango', 'beetroot', 'fig', 'green tomato'], sizes: ['190 g', '280 g', '340 g'], uncountable: true },
      { noun: 'honey', does: 'sets softly and spreads straight from the jar', price: [5.5, 19], makes: ['heather', 'acacia', 'wildflower', 'lime blossom'], sizes: ['227 g', '340 g', '454 g'], uncountable: true },
      { noun: 'chocolate bar', does: 'snaps cleanly and melts slowly', price: [2.5, 9.5], makes: ['dark', 'milk', 'sea salt', 'hazelnut', 'crème caramel'], sizes: ['50 g', '80 g', '100 g'] },
      { noun: 'jam', does: 'tastes of fruit before it tastes of sugar', price: [3.5, 9], makes: ['strawberry', 'damson', 'apricot', 'blackcurrant', 'rhubarb'], sizes: ['113 g', '227 g', '340 g'], uncountable: true },
    ],
  },
  {
    name: 'Bath & Body', ranges: ['Tidal', 'Apothecary', 'Bain Doré', 'Hedgerow'],
    remarks: ['made without palm oil', 'never tested on animals', 'scented with real plant oils', 'wrapped in paper', 'made in small batches'],
    kinds: [
      { noun: 'soap', does: 'lathers well even in hard water', price: [3.5, 12], makes: ['lavender', 'oatmeal', 'rosemary', 'charcoal', 'sea salt'], sizes: ['90 g', '120 g', '200 g'], uncountable: true },
      { noun: 'bath salts', does: 'ease tired legs after a long walk', price: [6, 24], makes: ['eucalyptus', 'rose', 'lavender', 'seaweed'], sizes: ['200 g', '400 g', '800 g'], plural: true },
      { noun: 'hand cream', does: 'sinks in quickly and leaves no film', price: [5, 22], makes: ['shea', 'calendula', 'almond', 'bergamot'], sizes: ['30 ml', '75 ml', '150 ml'], uncountable: true },
      { noun: 'candle', does: 'burns evenly for many evenings', price: [8, 42], makes: ['beeswax', 'fig leaf', 'cedar', 'fougère'], sizes: ['20 Hours', '40 Hours', '60 Hours'] },
      { noun: 'shampoo bar', does: 'outlasts two bottles and travels anywhere', price: [6, 14], makes: ['nettle', 'coconut', 'citrus', 'chamomile'], sizes: ['55 g', '85 g', '110 g'] },
    ],
  },
];
