#include "app/help/help_window.h"

#include <QAbstractTextDocumentLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/help/help_topics.h"

namespace jitterscope::app {
namespace {

constexpr int kPage = Qt::UserRole; ///< item data role: target page

QUrl url_of(const QString& page) {
  QUrl url("qrc:/help/" + page.section('#', 0, 0) + ".md");
  if (page.contains('#')) url.setFragment(page.section('#', 1));
  return url;
}

QString page_of(const QUrl& url) {
  return url.path().section('/', -1).section('.', 0, 0);
}

/// Adds text styles, because Markdown has none.
void add_styles(QTextDocument& document, const QPalette& palette) {
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    QTextCursor cursor(block);
    QTextBlockFormat format = block.blockFormat();
    if (format.headingLevel() > 0) format.setTopMargin(format.headingLevel() == 1 ? 0 : 14);
    if (format.hasProperty(QTextFormat::BlockCodeFence)) format.setBackground(palette.alternateBase());
    cursor.setBlockFormat(format);
  }
  for (QTextFrame* frame : document.rootFrame()->childFrames())
    if (auto* table = qobject_cast<QTextTable*>(frame)) {
      QTextTableFormat format = table->format();
      format.setBorderCollapse(true);
      format.setBorder(1);
      format.setBorderBrush(palette.mid());
      format.setCellPadding(4);
      format.setTopMargin(6), format.setBottomMargin(6);
      table->setFormat(format);
    }
}

} // namespace

HelpBrowser::HelpBrowser(QWidget* parent) : QTextBrowser(parent) {
  setOpenExternalLinks(false);
  document()->setDocumentMargin(12);
  // Also on history navigation; source() is still the previous page until this slot returns.
  connect(this, &QTextBrowser::sourceChanged, this, [this](const QUrl& url) {
    page_ = page_of(url);
    add_styles(*document(), palette());
  });
}

void HelpBrowser::open(const QString& page) {
  setSource(url_of(page), QTextDocument::MarkdownResource);
}

QVariant HelpBrowser::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::MarkdownResource) return QTextBrowser::loadResource(type, name);
  const QString id = page_of(name);
  for (const HelpTopic& topic : help_topics())
    if (topic.id == id) return topic.text;
  return QString(tr("# No such page\n\nThere is no help page \"%1\".")).arg(id);
}

// Opens a link to a help page, with or without a heading.
void HelpBrowser::doSetSource(const QUrl& url, QTextDocument::ResourceType) {
  const QUrl target = url.isRelative() ? source().resolved(url) : url;
  QTextBrowser::doSetSource(target, QTextDocument::MarkdownResource);
  if (!target.fragment().isEmpty()) go_to(target.fragment());
}

void HelpBrowser::go_to(const QString& anchor) {
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
    if (block.blockFormat().headingLevel() > 0 && anchor_of(block.text()) == anchor)
      return verticalScrollBar()->setValue(
          static_cast<int>(document()->documentLayout()->blockBoundingRect(block).top()));
}

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent), browser_(new HelpBrowser(this)), search_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setObjectName("help");
  setWindowFlag(Qt::WindowMinMaxButtonsHint);
  search_->setPlaceholderText(tr("Search all pages"));
  search_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Help topics"));
  list_->setWordWrap(true);
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  auto* buttons = new QHBoxLayout;
  const auto button = [&](Qt::ArrowType arrow, const QString& tip, auto slot) {
    auto* made = new QToolButton(left);
    made->setArrowType(arrow);
    made->setToolTip(tip);
    made->setEnabled(false);
    connect(made, &QToolButton::clicked, browser_, slot);
    buttons->addWidget(made);
    return made;
  };
  auto* back = button(Qt::LeftArrow, tr("Previous page (Alt+Left)"), &QTextBrowser::backward);
  auto* forward = button(Qt::RightArrow, tr("Next page (Alt+Right)"), &QTextBrowser::forward);
  connect(browser_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  connect(browser_, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);
  buttons->addWidget(search_, 1);
  column->addLayout(buttons);
  column->addWidget(list_, 1);
  auto* parts = new QSplitter(this);
  parts->addWidget(left);
  parts->addWidget(browser_);
  parts->setStretchFactor(1, 1);
  parts->setSizes({260, 640});
  auto* all = new QVBoxLayout(this);
  all->addWidget(parts);
  connect(search_, &QLineEdit::textChanged, this, &HelpWindow::fill_list);
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    if (list_->count() > 0 && list_->currentRow() < 0) list_->setCurrentRow(0);
    choose_current();
  });
  connect(list_, &QListWidget::itemClicked, this, &HelpWindow::choose_current);
  connect(list_, &QListWidget::itemActivated, this, &HelpWindow::choose_current);
  connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, search_, [this] {
    search_->setFocus();
    search_->selectAll();
  });
  connect(browser_, &QTextBrowser::sourceChanged, this, [this] {
    const auto* topic = find_topic(browser_->page());
    setWindowTitle(topic ? tr("%1 – Jitterscope help").arg(topic->title) : tr("Jitterscope help"));
    if (search_->text().isEmpty()) fill_list();
  });
  fill_list();
  resize(940, 680);
}

void HelpWindow::show_page(const QString& page) {
  if (!search_->text().isEmpty()) search_->clear();
  browser_->open(page);
  show();
  raise();
  activateWindow();
  browser_->setFocus();
}

void HelpWindow::fill_list() {
  list_->clear();
  const auto add = [this](const QString& text, const QString& page) {
    auto* item = new QListWidgetItem(text, list_);
    item->setData(kPage, page);
    return item;
  };
  if (search_->text().trimmed().isEmpty()) {
    for (const HelpTopic& topic : help_topics()) {
      auto* item = add(topic.title, topic.id);
      if (topic.id == browser_->page()) list_->setCurrentItem(item);
    }
    return;
  }
  for (const HelpHit& hit : search_help(search_->text()))
    add(hit.heading.isEmpty() ? hit.topic->title : hit.topic->title + " ▸ " + hit.heading,
        hit.anchor.isEmpty() ? hit.topic->id : hit.topic->id + "#" + hit.anchor)
        ->setToolTip(hit.line);
  if (list_->count() == 0) add(tr("No page contains these words."), {})->setFlags(Qt::NoItemFlags);
}

void HelpWindow::choose_current() {
  const auto* item = list_->currentItem();
  if (const QString page = item ? item->data(kPage).toString() : QString(); !page.isEmpty())
    browser_->open(page);
}

} // namespace jitterscope::app
