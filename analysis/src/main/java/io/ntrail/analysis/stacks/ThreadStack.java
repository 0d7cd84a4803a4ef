package io.ntrail.analysis.stacks;

import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import java.util.List;

/**
 * Stack of a thread of a snapshot.
 *
 * @param thread whose stack it is
 * @param frames innermost first; inlined functions are frames of their own; empty if the thread has
 *     no registers that can be walked
 * @param walked the frames that code has, as they were walked
 * @param end why the walk ended
 * @param why the reason in words; empty at the end of the stack
 * @param activity what the thread did
 */
public record ThreadStack(
    SnapshotThread thread,
    List<NamedFrame> frames,
    List<StackFrame> walked,
    StackWalk.End end,
    String why,
    ThreadActivity activity) {
  /** Copies the lists. */
  public ThreadStack {
    frames = List.copyOf(frames);
    walked = List.copyOf(walked);
  }

  /** Returns the stack without the frames of inlined functions. */
  public ThreadStack withoutInlined() {
    return new ThreadStack(
        thread,
        frames.stream().filter(frame -> !frame.isInlined()).toList(),
        walked,
        end,
        why,
        activity);
  }
}
