package io.ntrail.live.trace;

import io.ntrail.live.session.Recorder;
import io.ntrail.live.windows.ClockReading;
import io.ntrail.live.windows.TargetClock;

/** Clock of a recording, calibrated now and then. */
final class TraceClock {
  private static final long CALIBRATION_NANOS = 10_000_000_000L;

  private final TargetClock clock;
  private final Recorder recorder;
  private final ClockReading began;
  private final long ticksPerSecond;
  private long lastCalibration = System.nanoTime();

  /** The clock of a trace that begins now. */
  TraceClock(TraceSetup setup) {
    this.clock = setup.target().clock();
    this.recorder = setup.recorder();
    this.began = setup.began();
    this.ticksPerSecond = clock.rate(setup.target().firstMoment(), began);
  }

  /** Returns ticks per second; 0 if unknown. */
  long ticksPerSecond() {
    return ticksPerSecond;
  }

  /** Returns nanoseconds since the start, by the rate alone; 0 if it is unknown. */
  long nanos(long ticks) {
    return ticksPerSecond == 0 ? 0 : Math.round((ticks - began.ticks()) * 1e9 / ticksPerSecond);
  }

  /** Calibrates it if that was long ago. */
  void keep() {
    if (System.nanoTime() - lastCalibration > CALIBRATION_NANOS) {
      calibrate(clock.now());
    }
  }

  /** Calibrates it against the begin of the recording. */
  void calibrate(ClockReading moment) {
    lastCalibration = System.nanoTime();
    var calibration = clock.calibration(began, moment);
    recorder.define(to -> to.calibration(calibration));
  }
}
