/** An item as an application keeps it. */
interface Item {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly priceCents: number;
  readonly stock: number;
  readonly tags: readonly string[];
  readonly updatedAtMs: number;
}

const kept = 60;
/** Every so many-th one is sold out, so that 50 are left. */
const soldOutEvery = 6;

const items: readonly Item[] = Array.from({ length: kept }, (_, id) => ({
  id,
  name: `Item number ${id}`,
  description: `About item ${id}`,
  priceCents: 995 + 100 * id,
  stock: id % soldOutEvery === 0 ? 0 : id,
  tags: ['garden', id % 2 === 0 ? 'new' : 'used'],
  updatedAtMs: 1_700_000_000_000 + id,
}));

/** What a usual route of an API does for an answer: picks 50 of what it knows and puts them as clients see them, 7 kB of JSON. */
export function listItems(): object {
  const listed = items
    .filter(({ stock }) => stock > 0)
    .map(({ id, name, description, priceCents, stock, tags, updatedAtMs }) => ({
      id: `item-${id}`,
      name,
      description,
      price: priceCents / 100,
      isScarce: stock < 10,
      tags,
      updatedAt: updatedAtMs,
    }));
  return { items: listed, total: listed.length };
}
