package io.ntrail.analysis.etw.weights;

/** Every event that is asked for, each with the weight 1. */
final class EventOccurrences implements WeightSource {
  EventOccurrences() {}

  @Override
  public void visit(EventContext moment) {
    if (moment.passesEvent()) {
      moment.giveWhole(1);
    }
  }
}
