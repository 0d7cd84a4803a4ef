package io.ntrail.programs.unwind.x86;

import io.ntrail.programs.unwind.LoadedModule;

/** Frame data of modules. */
@FunctionalInterface
public interface FrameDataTables {
  /** Returns the frame data of a module; {@link FrameDataTable#NONE} if there is none. */
  FrameDataTable of(LoadedModule module);
}
