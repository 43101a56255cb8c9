// SPDX-License-Identifier: MIT
#include "dialogs.hpp"

#include "form_dialog.hpp"

namespace hawser::cli {

namespace {

const std::string& server_of(const std::variant<form_request, url_request>& what) {
  return std::visit([](const auto& asked) -> const std::string& { return asked.server; }, what);
}

}  // namespace

input_handlers dialogs::handlers() {
  input_handlers all;
  all.form = [this](form_request asked, reply<elicitation_answer> answer) {
    enqueue({.what = std::move(asked), .answer = std::move(answer)});
  };
  all.url = [this](url_request asked, reply<elicitation_answer> answer) {
    enqueue({.what = std::move(asked), .answer = std::move(answer)});
  };
  return all;
}

void dialogs::enqueue(pending_request asked) {
  if (screen_.interactive()) {
    requests_.push_back(std::move(asked));
    request_queued_.set();
    return;
  }
  if (decline_notices_ == notices::printed)
    screen_.err.line({"hawser: server ", escaped(server_of(asked.what)),
                      " wants to ask something; declined, because there is no terminal to ask at"});
  asked.answer(elicitation_answer{.what = elicitation_answer::action::decline});
}

task<void> dialogs::serve() {
  while (true) {
    auto waited = co_await request_queued_.wait();
    if (!waited) co_return;
    request_queued_.reset();
    while (!requests_.empty()) {
      pending_request next = std::move(requests_.front());
      requests_.pop_front();
      progress_.hold(true);
      auto answered = co_await ask(std::move(next.what));
      progress_.hold(false);
      if (answered) {
        next.answer(*std::move(answered));
      } else if (answered.error().code == errc::cancelled) {
        co_return;
      } else {
        screen_.err.line({"hawser: ", escaped(answered.error().what)});
      }
    }
  }
}

task<result<elicitation_answer>> dialogs::ask(std::variant<form_request, url_request> what) {
  const context where = co_await this_context();
  auto opened = terminal_line_source::open(*where.loop);
  if (!opened) co_return std::move(opened).error();
  terminal_line_source typed{*std::move(opened)};
  if (auto* form = std::get_if<form_request>(&what)) co_return co_await ask_form(screen_.err, typed, std::move(*form));
  co_return co_await ask_url(screen_.err, typed, std::move(std::get<url_request>(what)));
}

}  // namespace hawser::cli
