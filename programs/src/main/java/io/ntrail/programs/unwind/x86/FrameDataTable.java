package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pe.unwind.FpoTable;
import java.util.Optional;
import java.util.OptionalInt;

/** Frame data of one module by RVA, wherever it comes from. */
public interface FrameDataTable {
  /** The table of a module without frame data. */
  FrameDataTable NONE =
      new FrameDataTable() {
        @Override
        public Optional<FrameData.Frame> program(long rva) {
          return Optional.empty();
        }

        @Override
        public Optional<FpoTable.Fpo> fpo(long rva) {
          return Optional.empty();
        }
      };

  /**
   * Returns the innermost record with a frame program that contains an RVA. Its start and size are
   * those of the program as it was linked, which need not contain the RVA if it was rearranged.
   *
   * @return the same object for all addresses of a record
   */
  Optional<FrameData.Frame> program(long rva);

  /**
   * Returns the FPO_DATA of the function that contains an RVA, with addresses as {@link #program}
   * has them.
   */
  Optional<FpoTable.Fpo> fpo(long rva);

  /**
   * Returns the bytes of parameters on the stack of the function that contains an RVA, where
   * something else than frame data says them.
   */
  default OptionalInt parameterBytes(long rva) {
    return OptionalInt.empty();
  }
}
