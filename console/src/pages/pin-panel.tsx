import { useState } from 'preact/hooks';
import type { Pin } from '../api/pin-order.ts';
import { readPins, removePin } from '../api/pins.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Countdown } from '../parts/countdown.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useRowFocus } from '../parts/row-focus.ts';
import { useReading } from '../state/reading.ts';
import { PinDialog } from './pin-dialog.tsx';

const EVERY_MS = 10_000;

/** What operators hold in place for a time. */
export function PinPanel() {
  const { value, problem, again } = useReading(readPins, EVERY_MS);
  const pins = value?.pins ?? [];
  const [removing, setRemoving] = useState<Pin | null>(null);
  const [isPinning, setPinning] = useState(false);
  const { box, actsOn } = useRowFocus(
    pins.map(({ name }) => name),
    removing !== null,
  );
  return (
    <>
      <Problem text={problem} />
      <div ref={box} tabIndex={-1} class="stack">
        <Panel title="Pins" aside={<ActButton onClick={() => setPinning(true)}>Pin for a time</ActButton>}>
          {pins.length === 0 ? (
            <Empty>{wordsFor(value, problem)}</Empty>
          ) : (
            <DataTable
              caption="Pins"
              rows={pins}
              keyOf={({ name }) => name}
              columns={[
                { title: 'Holds', cell: ({ what }) => what, isHead: true },
                { title: 'Who', cell: ({ by }) => <span class="typed">{by}</span>, isMinor: true },
                { title: 'Why', cell: ({ why }) => <span class="typed">{why}</span>, isMinor: true },
                { title: 'Ends in', cell: ({ until }) => <Countdown until={until} /> },
                {
                  title: 'Act',
                  isNumber: true,
                  isAct: true,
                  cell: (pin) => (
                    <button
                      type="button"
                      class="small"
                      aria-label={`Remove the pin: ${pin.what}`}
                      onClick={() => setRemoving(pin)}
                    >
                      Remove
                    </button>
                  ),
                },
              ]}
            />
          )}
        </Panel>
      </div>
      {isPinning ? <PinDialog onClose={() => setPinning(false)} onPinned={again} /> : null}
      {removing === null ? null : (
        <NoteDialog
          title="Remove a pin"
          action="Remove"
          onClose={() => setRemoving(null)}
          onConfirm={async (note) => {
            actsOn(removing.name);
            await removePin(removing.name, note);
            again();
          }}
        >
          <p>{removing.what}: goes back to the configuration now.</p>
        </NoteDialog>
      )}
    </>
  );
}

function wordsFor(value: { readonly pins: readonly Pin[] | null } | null, problem: string | null): string {
  if (value === null) return problem === null ? 'Looking…' : 'Pins could not be read.';
  return value.pins === null ? 'This service has no pins.' : 'Nothing is pinned.';
}
