package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.SessionFile;
import io.ntrail.live.windows.ClockReading;
import io.ntrail.live.windows.TargetClock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the trace of one process needs before its first function is patched.
 *
 * @param process its number in the file
 * @param began when the trace began
 */
record TraceSetup(
    TraceTarget target,
    TraceSettings settings,
    SessionFile session,
    Tracer tracer,
    UnwindSelfTest selfTest,
    TracingOverhead cost,
    TraceFile file,
    long process,
    Recorder recorder,
    ClockReading began) {
  /**
   * Sets tracing up in the process that a recording begins with, and creates the file.
   *
   * @param ahead what was begun for these settings
   * @throws CannotGoOn if that is not possible
   */
  static TraceSetup first(TraceTarget target, TraceSettings settings, TraceAhead ahead) {
    SessionFile session = null;
    Tracer tracer = null;
    try {
      session = ahead.take(settings, target.process().architecture().pointerSize());
      tracer = tracer(target, settings, session);
      UnwindSelfTest selfTest = selfTest(target, tracer);
      TracingOverhead cost = tracer.cost();
      TargetClock clock = target.clock();
      ClockReading began = clock.now();
      NtrHeader header =
          new NtrHeader(
              clock.isInvariant() ? NtrHeader.ONE_CLOCK : 0,
              clock.rate(target.firstMoment(), began),
              began.ticks(),
              began.utc(),
              target.process().architecture().machine(),
              target.process().architecture().pointerSize(),
              NtrHeader.TIME_STAMP_COUNTER,
              settings.writer());
      TraceFile file = TraceFile.create(session, settings, header);
      return new TraceSetup(
          target,
          settings,
          session,
          tracer,
          selfTest,
          cost,
          file,
          TraceFile.FIRST_PROCESS,
          file.recorder(),
          began);
    } catch (IOException e) {
      undoFirst(target, tracer);
      close(session);
      throw new CannotGoOn(
          settings.fileName() + " could not be written: " + e.getMessage(),
          "choose another with -o");
    } catch (RuntimeException e) {
      undoFirst(target, tracer);
      close(session);
      throw e;
    }
  }

  /**
   * Sets tracing up in another process, which is recorded into the same file.
   *
   * @throws CannotGoOn if that is not possible
   */
  TraceSetup beside(TraceTarget child) {
    SessionFile its = null;
    Tracer itsTracer = null;
    try {
      its =
          settings
              .buffers()
              .session(
                  settings.records(child.process().architecture().pointerSize()),
                  false,
                  child.process().architecture().pointerSize());
      itsTracer = tracer(child, settings, its);
      UnwindSelfTest itsTest = selfTest(child, itsTracer);
      long number = file.nextProcess();
      return new TraceSetup(
          child,
          settings,
          its,
          itsTracer,
          itsTest,
          cost,
          file,
          number,
          recorder.beside(its, number),
          child.clock().now());
    } catch (IOException e) {
      detach(itsTracer);
      close(its);
      throw new CannotGoOn("no disk space for its session file: " + e.getMessage(), "");
    } catch (RuntimeException e) {
      detach(itsTracer);
      close(its);
      throw e;
    }
  }

  /** Returns whether this is the process that the recording begins with. */
  boolean isFirst() {
    return process == TraceFile.FIRST_PROCESS;
  }

  /** Removes what was put into a program that continues to run, as far as that is possible. */
  void undo() {
    if (isFirst()) {
      undoFirst(target, tracer);
    } else {
      detach(tracer);
    }
  }

  /** A program that was started for the trace is killed, and needs no cleanup. */
  private static void undoFirst(TraceTarget target, @Nullable Tracer tracer) {
    if (!target.process().isStarted()) {
      detach(tracer);
    }
  }

  private static void detach(@Nullable Tracer tracer) {
    if (tracer != null) {
      try {
        tracer.detach();
      } catch (RuntimeException e) {
        // The first failure is reported.
      }
    }
  }

  private static Tracer tracer(TraceTarget target, TraceSettings settings, SessionFile session) {
    Tracer tracer =
        new Tracer(
            target.process(),
            session,
            target.name(session.path()),
            settings.threads(),
            target.guardPlan());
    session.removeName();
    return tracer;
  }

  private static UnwindSelfTest selfTest(TraceTarget target, Tracer tracer) {
    if (target.mitigations().shadowStack()) {
      return UnwindSelfTest.SHADOW_STACK;
    }
    return target.process().is32Bit() && target.mitigations().returnChecks()
        ? UnwindSelfTest.RETURN_CHECKS
        : tracer.selfTest();
  }

  private static void close(@Nullable SessionFile session) {
    if (session != null) {
      session.close();
    }
  }
}
