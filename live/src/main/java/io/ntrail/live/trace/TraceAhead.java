package io.ntrail.live.trace;

import io.ntrail.live.session.SessionFile;
import io.ntrail.live.target.TracePractice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Session file of a trace's first program, made in a thread of its own while the program starts.
 * The thread also practises what is assembled after that.
 */
public final class TraceAhead implements AutoCloseable {
  /** Empty if the size of the file is not known yet. */
  private final CompletableFuture<Optional<SessionFile>> session;

  private boolean isTaken;

  private TraceAhead(CompletableFuture<Optional<SessionFile>> session) {
    this.session = session;
  }

  /** Begins nothing. */
  public static TraceAhead none() {
    return new TraceAhead(CompletableFuture.completedFuture(Optional.empty()));
  }

  /** Begins to make the session of a trace. */
  public static TraceAhead begin(TraceSettings settings) {
    return new TraceAhead(
        CompletableFuture.supplyAsync(
            () -> make(settings),
            task -> Thread.ofPlatform().daemon().name("trace ahead").start(task)));
  }

  private static Optional<SessionFile> make(TraceSettings settings) {
    TracePractice.assemble();
    try {
      // The size of tables depends on the number of functions.
      return settings.buffers().adds()
          ? Optional.empty()
          : Optional.of(settings.firstSession(Long.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the session file, when it is made; it belongs to the caller.
   *
   * @param settings as they were, but for the number of functions
   * @param pointerBytes size of a pointer of the program; what was made ahead is for 8
   * @throws IOException if there is no room for it
   */
  SessionFile take(TraceSettings settings, int pointerBytes) throws IOException {
    if (isTaken) {
      throw new IllegalStateException("taken already");
    }
    isTaken = true;
    Optional<SessionFile> made = made();
    if (made.isPresent() && pointerBytes == Long.BYTES) {
      return made.get();
    }
    made.ifPresent(SessionFile::close);
    return settings.firstSession(pointerBytes);
  }

  private Optional<SessionFile> made() throws IOException {
    try {
      return session.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof UncheckedIOException failure) {
        throw failure.getCause();
      }
      throw e;
    }
  }

  /** Removes a file that nobody has taken. */
  @Override
  public void close() {
    if (!isTaken) {
      try {
        made().ifPresent(SessionFile::close);
      } catch (IOException e) {
        // Nobody wants it any more.
      }
    }
  }
}
