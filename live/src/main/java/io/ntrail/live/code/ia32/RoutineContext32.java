package io.ntrail.live.code.ia32;

import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.programs.x86.asm.Assembler;

/**
 * Common parts of the routines of a runtime block.
 *
 * @param assembler of the whole block
 * @param addresses of the session
 * @param words the thread's words
 * @param cells addresses of routines
 */
record RoutineContext32(
    Assembler assembler, SessionAddresses addresses, TlsOffsets32 words, RuntimeCells cells) {
  static RoutineContext32 of(SessionAddresses addresses) {
    return new RoutineContext32(
        Assembler.ia32(),
        addresses,
        TlsOffsets32.of(addresses.tls()),
        new RuntimeCells(addresses.block()));
  }

  /** Returns the bytes of a record. */
  int record() {
    return addresses.records().bytes();
  }

  /** Returns the bytes of a record as slots write it; 0: they add up in tables instead. */
  int slotRecord() {
    return tables().exist() ? 0 : record();
  }

  /** Returns where stacks are copied to. */
  SamplePlaces samples() {
    return addresses.samples();
  }

  CallTables tables() {
    return addresses.tables();
  }
}
