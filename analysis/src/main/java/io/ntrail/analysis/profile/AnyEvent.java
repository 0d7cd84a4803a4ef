package io.ntrail.analysis.profile;

/** Every event that is asked for, each with the weight 1. */
final class AnyEvent implements WeightSource {
  AnyEvent() {}

  @Override
  public void visit(Moment moment) {
    if (moment.passesEvent()) {
      moment.giveWhole(1);
    }
  }
}
